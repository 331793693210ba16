"""C++ from SDFGs by DaCe's code generator, with code generators for what daad adds."""
