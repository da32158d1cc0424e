"""Each barrier, fence and wait of the correct kernels is removed in turn; what is not reported is justified."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import test_defect_pairs as pairs
import test_known_defects as defects

import openptx

HERE = Path(__file__).parent
ORDERS = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(bar\.sync|barrier\.sync|bar\.warp\.sync|membar\.\w+|fence\.[\w.:]+|cp\.async\.wait_\w+"
    r"|cp\.async\.bulk\.wait_group[\w.]*|barrier\.cluster\.wait[\w.]*|tcgen05\.wait::[\w.]*)\b[^;]*;",
    re.M,
)
NEXT = re.compile(r"^(?:\.visible|\.func|\.global|\.const|\t\.file)", re.M)
SLOW = ("race_grid_sync", "race_producer_consumer")

# How many removals are not found, by kernel, and why that is right.
REDUNDANT = {
    "no thread touches what another one writes": """
        dyn_overlap_ok fence_for_barrier_ok i_dyn_ok i_shuffled_ok i_divided_ok last_warp_reduce_ok m_nc_ok s_break_ok
        s_cg_sync_ok s_count_ok s_count_more_ok s_function_ok s_named_odd_ok s_named_multiple_ok s_named_three_ok
        s_barrier_id_ok s_return_ok s_syncwarp_mask_ok s_while_ok sync_divergent_branch_ok
        sync_loop_trip_ok s_cl_wait_first_ok s_cl_twice_ok:2 transpose_in_place_ok x_dyn_small_ok
        x_other_local_ok x_space_ok u_downsweep_ok:2 u_carve_ok u_index_ok u_switch_barrier_ok u_group_sync_branch_ok
        u_break_barrier_ok u_pair_wrong_ok:2 u_stack_escape_ok v_block_lock_ok:2 v_short_pair_ok v_shuffle_lane_ok
        v_redux_ok v_low_bits_ok v_overwritten_ok:2 t_st_no_wait_ok t_st_named_ok t_st_ld_ok w_wrong_half_ok
        w_recursive_barrier_ok z_smem_alias_ok z_transposed_ok y_in_tail_ok y_sy_if_ok y_sy_syncwarp_ok y_sy_loop_ok:5
        y_f_two_barriers_ok:2""",
    "each lane loads the words of its fragment of the matrix, which it wrote": "w_ldmatrix_part_ok w_ldmatrix_past_ok",
    "another barrier or wait orders the same accesses": """
        bulk_one_waits_ok dsm_async_store_ok dsm_mbar_ok proxy_refill_ok proxy_source_global_ok s_mb_over_ok:2
        x_freed_by_other_ok x_nc_intrinsic_ok u_flag_ok:2 u_pipe_ok u_work_queue_ok:2 v_sense_ok t_ld_overwritten_ok
        t_next_buffer_ok t_free_late_ok t_ring_ok:8 t_overlap_ok y_bk_one_waits_ok""",
    "a thread that overwrites an operand has waited for the wgmma-group of its warpgroup": """
        w_wgmma_overwrite_ok y_wg_overwrite_ok""",
    "the source of the copy has been waited for, and no thread reads its target": "y_bk_refill_ok",
    "the last of a loop, with nothing after it that other threads touch": """
        bulk_parity_ok cp_three_stage_ok g_double_buffer_ok:2 g_grid_sync_ok:2 i_reduce_tail_ok r_reduce_ok
        w_tail_block_ok z_loop_reuse_ok z_two_buffers_ok z_memcpy_refill_ok z_warp_shared_ok z_max_of_part_ok
        y_cp_refill_ok y_f_scan_ok""",
    "lanes read words that no lane writes in the same step": "r_warp_reduce_ok:6",
}
BY_DECISION = {
    "an atomic counter is trusted without an acquiring fence: reported by --strict": """
        g_last_block_early_ok g_last_block_nosync_ok r_last_nofence_ok u_work_queue_ok y_gl_last_block_ok""",
    "the accesses that it orders are strong: no data race": """
        pipeline_release_ok:3 volatile_flag_ok u_seqlock_ok:4 y_sh_volatile_ok:2""",
    "the async proxy reads an mbarrier after `init`: mbarriers are no data to it here": """
        bulk_no_expect_ok bulk_one_waits_ok bulk_parity_ok i_bulk_partial_ok proxy_refill_ok proxy_source_global_ok
        r_bulk_reuse_ok r_bulk_twomb_ok race_bulk_copy_ok s_exit_mbar_pending_ok s_tx_less_ok s_tx_ok x_bulk_past_ok
        x_bulk_shared_past_ok:2 u_tx_two_ok u_bulk_misaligned_ok v_multicast_ok v_bulk_past_ok t_no_wait_ok
        t_commit_early_ok t_garbage_ok t_st_no_wait_ok t_st_named_ok t_st_ld_ok t_ld_overwritten_ok t_next_buffer_ok
        t_free_late_ok t_unused_ok t_a_no_wait_ok t_two_issuers_ok t_cp_ld_ok t_cp_mma_ok t_ring_ok
        w_bulk_in_source_ok y_bk_no_wait_ok y_bk_one_waits_ok""",
}


def expected() -> Counter[str]:
    found = Counter[str]()
    for names in (*REDUNDANT.values(), *BY_DECISION.values()):
        for word in names.split():
            name, _, count = word.partition(":")
            found[name] += int(count or 1)
    return found


def kernels() -> list[tuple[str, str, pairs.Row]]:
    """Name, file and launch of each correct kernel."""
    found = [(row.name, row.file, row) for row in pairs.rows()]
    for row in defects.ROWS:
        launch = {"grid": row["grid"], "block": row["block"], "cluster": row["cluster"] or 0}
        launch["oinit"] = int(row["defined_output"])
        found.append((row["name"], "defects", pairs.Row("defects", row["name"], row["class"], launch, set())))
    return [one for one in found if one[0].endswith("_ok") and not one[0].startswith(SLOW)]


def without_each(text: str, name: str) -> Iterator[str]:
    """The module with this kernel alone, without one of its barriers, fences and waits."""
    begin = text.index(f".visible .entry {name}(")
    end = NEXT.search(text, begin + 1)
    body = text[begin : text.rindex("\n}\n", begin, end.start() + 1 if end else len(text)) + 3]
    first = text.index(".visible .entry")
    rest = text[first:]
    globals_ = "\n".join(re.findall(r"^\.(?:global|const|extern \.shared)[^\n]*;$", rest, re.M))
    functions = "".join(re.findall(r"^\.func.*?^}\n", rest, re.S | re.M))
    places = rest[rest.find("\t.file") :]
    for match in ORDERS.finditer(body):
        cut = body[: match.start()] + "\n" + body[match.end() :]
        if match[1].startswith("barrier.cluster.wait"):
            arrive = cut.rindex("barrier.cluster.arrive", 0, match.start())
            cut = cut[:arrive] + cut[cut.index(";", arrive) + 1 :]
        yield f"{text[:first]}{globals_}\n{functions}{cut}{places}"


@pytest.mark.sweep
def test_what_is_not_found_is_argued() -> None:
    missed, total = Counter[str](), 0
    paths = (HERE / "defects.ptx", *(pairs.PAIRS / f"{file}.ptx" for file in pairs.FILES))
    texts = {path.stem: path.read_text("utf-8") for path in paths}
    for name, file, row in kernels():
        launch = row.launch
        for text in without_each(texts[file], name):
            a, b = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)
            o = np.zeros(1024, np.int32) if launch.get("oinit") else openptx.empty(1024, np.int32)
            found = openptx.sanitize(
                openptx.load(text)[name], launch.get("grid", 1), launch.get("block", 64), (a, b, o, 1024),
                shared_mem=launch.get("dyn", 0), cluster=launch.get("cluster") or None, timeout=10,
            )  # fmt: skip
            total += 1
            missed[name] += not found
    assert +missed == expected()
    assert total >= 560
