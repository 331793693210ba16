"""What the systems that inspired daad can do, line by line: the call in daad, and the test that shows it.

`python -m tests.features` writes docs/features.md from these rows. A row whose test is None is for later, or for good
reason not there; its call says which.
"""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "features.md"
HEAD = """# What other systems can do, and how daad does it

Each line is a capability of a system that inspired daad, with the call in daad that has it and the test that shows it
(a module without a function: all of it). It is written by `python -m tests.features` from `tests/features.py`; a test
checks that each test named here is there. Lines that begin with *later* are not there yet.
"""
O, P, J, I, B, G = "originals", "api/products", "api/jacobian", "api/interior", "api/buffers", "api/gauss_newton"

# By system: capability, daad's call, test module (without "tests/", "test_" and ".py") and function.
Row = tuple[str, str, str | None, str]
ROWS: dict[str, list[Row]] = {
    "Enoki": [
        (
            "forward and reverse mode on one type",
            "`daad.jvp`, `daad.vjp`, `daad.grad` on a plain function",
            P,
            "tangents_and_pullbacks_agree",
        ),
        ("marking what has gradients", "`wrt=`", "api/wrt", "gradient_of_a_part"),
        (
            "forward from one input to many outputs",
            '`daad.jvp(f, wrt="a")(…, tangent=…)`',
            O,
            "enoki_forward_from_one_input_to_many_outputs",
        ),
        (
            "backward from an output",
            '`daad.grad(f, wrt=…, of="c")`',
            O,
            "enoki_backward_from_one_output_to_many_inputs",
        ),
        (
            "progress of a traversal",
            "`verbose=1`",
            "messages/progress",
            "verbose_tells_what_is_done_and_what_came_of_it",
        ),
        ("gradients of the type without derivatives", "plain NumPy arrays", "api/gradient", ""),
        ("`detach`", "`daad.stop_gradient(x)`", "api/stop_gradient", "stopped_values_are_constants_in_every_mode"),
        (
            "a loop of gradient descent",
            "`x = x - step * g(x)`",
            O,
            "enoki_gradient_descent_on_a_rotation_takes_the_error_from_134_to_0065",
        ),
        (
            "the graph as DOT text",
            '`g.graph("dot")`, `g.graph("svg")`',
            "report/dataflow_graph",
            "each_edge_joins_nodes_that_are_there",
        ),
        (
            "labels of variables",
            "the program's own names",
            "report/dataflow_graph",
            "functions_loops_and_lines_are_clusters",
        ),
        (
            "scopes",
            "functions, loops and lines are clusters of `g.graph`",
            "report/dataflow_graph",
            "functions_loops_and_lines_are_clusters",
        ),
        (
            "colours of inputs and outputs",
            "`g.graph`: inputs, outputs, stored, computed again, dead",
            "report/dataflow_graph",
            "colours_tell_what_an_array_is",
        ),
        (
            "primal and derivative in one kernel",
            "`g.joint`, one program; the primal runs once",
            "npbench",
            "compiled_gradient_matches_differences_and_jax_and_repeats",
        ),
        (
            "a table of memory",
            "`g.explain()`, `g.memory`, `g.plan`",
            "runtime/compiled",
            "memory_is_modelled_and_measured",
        ),
        (
            "simplification of the graph",
            "elementwise chains are fused, and their values computed again",
            "passes/vertical_fusion",
            "kernels_keep_their_adjoint",
        ),
        (
            "a thousand squares of a mebi of floats",
            '`memory_limit="64MiB"`',
            O,
            "enoki_a_thousand_squares_of_a_mebi_of_floats_stay_under_64_mib",
        ),
        (
            "a cache of kernels",
            "`g.compile()`, `g.is_cached`",
            "runtime/cache",
            "another_process_needs_neither_dace_nor_a_compiler",
        ),
        (
            "twenty steps towards a rotation",
            "`daad.value_and_grad`",
            O,
            "enoki_gradient_descent_on_a_rotation_takes_the_error_from_134_to_0065",
        ),
        ("gather and scatter", "`A[idx]`, `np.add.at`", O, "enoki_gather_adds_up_what_is_read_twice"),
        (
            "a torch function",
            "`g.as_torch()`",
            "api/interop/torch_functions",
            "arctan2_of_one_and_two",
        ),
        (
            "None for inputs without a gradient",
            "None holds the place of what is no float",
            "api/wrt",
            "gradient_of_a_dataclass_has_its_fields",
        ),
        (
            "several traversals of one graph",
            "`y, pull = daad.vjp(f)(…)`",
            O,
            "drjit_several_traversals_of_one_forward_pass",
        ),
        ("seeds on outputs", "`seed=`, also at the call", "api/selected_outputs", "seeds_of_calls"),
        (
            "the interface in C++",
            "`g.export(directory)`",
            "api/export/exporting",
            "examples_print_what_a_call_gives",
        ),
        ("special functions", "`scipy.special`, `np.arctan2`, `np.hypot`, `np.linalg.norm`", "rules/scalar", ""),
    ],
    "Dr.Jit": [
        ("products J v and Jᵀ w", "`daad.jvp`, `daad.vjp`", P, "tangents_and_pullbacks_agree"),
        (
            "switching gradients on and off",
            "`wrt=`, `daad.stop_gradient`",
            "api/stop_gradient",
            "a_gradient_that_is_stopped_everywhere_is_zero",
        ),
        ("forward, backward, grad", "`daad.jvp`, `daad.grad`", O, "enoki_forward_from_one_input_to_many_outputs"),
        ("interior gradients", '`also=("tmp", ("u", 3))`', O, "drjit_interior_gradients"),
        (
            "inputs that are changed",
            "gradients are with respect to values on entry",
            O,
            "drjit_gradients_are_with_respect_to_values_on_entry",
        ),
        ("memory operations, loops, conditions, calls", "plain Python", "corpus", ""),
        (
            "checkpoints by the user",
            "`daad.checkpoint(x)`, `daad.recompute(x)`",
            "ccs/hints",
            "marks_do_not_change_the_program",
        ),
        (
            "Gauss-Newton by pairs of passes",
            "`daad.gauss_newton_product`, and `daad.hvp`",
            G,
            "it_is_the_square_of_the_jacobian",
        ),
        (
            "the graph of derivatives",
            '`g.graph("dot", part="adjoint")`',
            "report/dataflow_graph",
            "each_edge_joins_nodes_that_are_there",
        ),
        ("four kinds of traversals", "`daad.vjp(f, wrt=…, of=…)`, `daad.jvp`", P, "tangents_and_pullbacks_agree"),
        (
            "trees of arrays",
            "dicts, lists, tuples, dataclasses, objects",
            "api/wrt",
            "gradient_of_an_object_is_an_object_of_its_class",
        ),
        (
            "operations with own derivatives",
            "`@daad.custom_vjp`, also with `opaque=True`",
            "api/own_rules",
            "gradient_follows_the_rule",
        ),
        ("sum loops in a single pass", "found without a hint", O, "drjit_sum_loops_need_no_tape_and_no_hint"),
        (
            "reverse loops of any length",
            "bounds are found, never wrong",
            "frontend/python/trip_counts",
            "adjoint_begins_with_the_last_iteration_that_was_begun",
        ),
    ],
    "Enzyme": [
        ("any call is differentiated", "`daad.grad(f)`", "api/gradient", ""),
        ("activity by type", "ints and bools are inactive", "api/wrt", "refused"),
        ("activity by the user", "`wrt=`", "api/wrt", "gradient_of_a_part"),
        (
            "gradients are added to shadows",
            "`g(…, out=…, accumulate=True)`",
            O,
            "enzyme_gradients_are_added_to_what_a_shadow_holds",
        ),
        (
            "shadows of structures",
            "gradients in the structure of `wrt`",
            "api/wrt",
            "gradient_of_a_dataclass_has_its_fields",
        ),
        (
            "a primal result that nobody needs",
            "`daad.grad` drops dead work",
            B,
            "a_sum_takes_no_array_of_its_own_and_no_dead_work",
        ),
        ("results by value", "any return value", "api/selected_outputs", "seeds_of_calls"),
        (
            "globals",
            "what is around the program is read, and seen when it changes",
            "frontend/python/surroundings",
            "what_changes_around_the_function_is_seen",
        ),
        ("own gradients with a tape", "`f.defvjp(fwd, bwd)`", "api/own_rules", "gradient_follows_the_rule"),
        ("order of seeds", "the structure of the outputs", P, "tangents_and_pullbacks_agree"),
        (
            "derivatives of optimised code",
            "passes before and after",
            "npbench",
            "compiled_gradient_matches_differences_and_jax_and_repeats",
        ),
    ],
    "DaCe AD": [
        ("the critical computation subgraph", "`g.ccs`", "ccs/nodes_of_sdfg", "what_leads_from_inputs_to_outputs"),
        (
            "adjoints of overwritten arrays are cleared, place by place",
            "`g.adjoint`",
            "loops/random_programs",
            "adjoint_matches_central_difference",
        ),
        (
            "loops of any bounds and strides",
            "plain `for`",
            "loops/random_programs",
            "adjoint_matches_central_difference",
        ),
        ("a list of what is recomputed", '`plan={"T": "recompute"}`', "ccs/hints", "plan_says_which_arrays_are_held"),
        ("store or recompute by an integer program", "`memory_limit=`", "ilp/model", "random_models"),
        ("branches", "`if`, `np.where`", "api/untaken", "untaken_side_contributes_nothing"),
        ("NPBench without changes", "its kernels as they are", "npbench", "gradient_matches_differences_and_jax"),
        (
            "products of matrices by BLAS",
            "`@`, `np.matmul`, `np.einsum`",
            "npbench",
            "compiled_gradient_matches_differences_and_jax_and_repeats",
        ),
        ("comparison with JAX", "`daad bench`", "npbench_runs/kernels", "daad_gradient_matches_jax"),
        ("GPU", '`device="gpu"`', "gpu/on_a_gpu", "kernels"),
    ],
    "Variables-and-Blocks": [
        ("variables with data and gradient", "plain arrays", "api/gradient", ""),
        ("gradients that are Jacobians", "`daad.jacobian`", O, "blocks_jacobians_come_in_the_order_of_wrt"),
        ("a call that computes gradients", "none is needed", "api/gradient", ""),
        ("constants", "literals and closures", "frontend/python/source", "defaults_and_closure_are_the_live_values"),
        ("parts of vectors", "slices and indices", "corpus", ""),
        ("several variables in order", '`wrt=("x", "L")`', O, "blocks_jacobians_come_in_the_order_of_wrt"),
        ("a new input node replaces the old one", "there is no global state", "api/gradient", ""),
        ("blocks with own Jacobians", "`@daad.custom_vjp`", "api/own_rules", "products_follow_formulas"),
        (
            "blocks with an elementwise derivative",
            "`@daad.elementwise`",
            "api/own_rules",
            "elementwise_function_is_applied_to_elements_by_numpy_too",
        ),
        (
            "12,345 iterations hold three variables",
            "`daad.jvp`",
            O,
            "blocks_forward_mode_holds_in_12345_iterations_what_it_holds_in_one",
        ),
        ("a tree of nodes with pruning", "`g.ccs`", "ccs/nodes_of_sdfg", "no_statement_of_the_ccs_is_left_out"),
        ("a graph that is reset", "there is none", "api/gradient", ""),
        ("forward or reverse", '`mode="forward"`, `"reverse"`, `"auto"`', J, ""),
    ],
    "Further": [
        (
            "a verified limit of the whole peak",
            "`memory_limit=`, `g.memory`",
            "runtime/compiled",
            "memory_is_modelled_and_measured",
        ),
        (
            "binomial checkpointing of plain loops",
            "`memory_limit=`",
            "loops/blocked_loops",
            "no_more_iterations_than_binomial_checkpointing",
        ),
        ("one optimiser for arrays and loops", "`g.plan`", "ilp/model", "models_of_programs"),
        (
            "the smallest limit, and memory against time",
            "`MemoryLimitTooSmall.minimum`, `plan.pareto()`",
            "ilp/pareto",
            "less_memory_takes_more_time",
        ),
        (
            "right or refused",
            "`daad.Unsupported` with line and hint",
            "frontend/python/refusals",
            "refusal_says_what_and_where",
        ),
        ("in-place writes with while, break, gather, complex", "plain NumPy", "corpus", ""),
        ("sum loops without a tape", "found without a hint", O, "drjit_sum_loops_need_no_tape_and_no_hint"),
        (
            "all plans give the same bits",
            '`daad.check(…, plans="all")`',
            "ccs/hints",
            "extreme_plans_give_the_gradient",
        ),
        (
            "a check that finds the wrong statement",
            "`report.fault`",
            "api/check/fault",
            "a_wrong_rule_is_found_at_its_line",
        ),
        ("why each value is kept", "`g.explain()`, `daad explain`", "ccs/hints", "plan_says_which_arrays_are_held"),
        (
            "a command for plain scripts",
            "`daad grad script.py -f f -o module.py`",
            "cli/commands",
            "module_gives_the_gradient_without_the_script",
        ),
        (
            "sparse Jacobians without probing",
            "`daad.jacobian(f, sparse=True)`",
            J,
            "five_point_stencil_needs_five_colours_on_any_grid",
        ),
        (
            "Hessian and Gauss-Newton products in place",
            "`daad.hvp`, `daad.gauss_newton_product`",
            G,
            "it_is_the_pullback_of_the_tangent",
        ),
        (
            "branches that never touch the other side",
            "`np.where`, `if`; `report.kinks`",
            "api/untaken",
            "untaken_side_contributes_nothing",
        ),
        (
            "one gradient for C, torch, JAX and SciPy",
            "`g.as_scipy`, `g.as_torch`, `g.as_jax`, `g.export`",
            "api/export/exporting",
            "examples_print_what_a_call_gives",
        ),
    ],
}


def page() -> str:
    """The text of docs/features.md."""
    parts = [HEAD]
    for system, rows in ROWS.items():
        parts.append(f"\n## {system}\n\n| | capability | daad | test |\n|---|---|---|---|\n")
        parts += [
            f"| {k} | {what} | {call} | {shown(row)} |\n" for k, row in enumerate(rows, 1) for what, call, *_ in [row]
        ]
    return "".join(parts)


def file_of(row: Row) -> Path | None:
    """The module of a row's test."""
    if row[2] is None:
        return None
    folder, _, name = row[2].rpartition("/")
    return Path("tests") / folder / f"test_{name}.py"


def shown(row: Row) -> str:
    """Where the test is."""
    file = file_of(row)
    if file is None:
        return "-"
    return f"`{file}`" + (f" `test_{row[3]}`" if row[3] else "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
