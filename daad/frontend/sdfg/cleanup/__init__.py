"""The lifted Program, simplified: scalars forwarded, branches predicated, loops made parallel."""
