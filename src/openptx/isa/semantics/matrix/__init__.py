"""Matrix products of a warp, a warpgroup and a CTA (9.7.14 to 9.7.16)."""
