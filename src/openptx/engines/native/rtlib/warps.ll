; What kernels do once per launch, CTA or warp, which is not worth compiling for each kernel.

; The row of the table of slots for an address, from its first aligned address on: that address, the bytes that exist,
; the bytes that may be written, the host's address; and the host's address minus the device's. It is the empty row if
; there is none, and for addresses of .global (%global is 1) in the windows of other spaces. (The window of parameters
; is inside .global, which the slow path knows.)
define void @openptx.row(ptr %w, i64 %address, i64 %align, i64 %global, ptr %found) #1 noinline {
  %slot = lshr i64 %address, {SHIFT}
  %pn = getelementptr i8, ptr %w, i64 {SLOTS}
  %slots = load i64, ptr %pn
  %windows = mul i64 %global, {FIRST}
  %number = sub i64 %slot, %windows
  %most = sub i64 %slots, %windows
  %good = icmp ult i64 %number, %most
  %at = select i1 %good, i64 %slot, i64 0
  %pt = getelementptr i8, ptr %w, i64 {TABLE}
  %table = load ptr, ptr %pt
  %row = getelementptr [{ROW} x i8], ptr %table, i64 %at
  %start = load i64, ptr %row
  %p1 = getelementptr i8, ptr %row, i64 8
  %size = load i64, ptr %p1
  %p2 = getelementptr i8, ptr %row, i64 16
  %writable = load i64, ptr %p2
  %p3 = getelementptr i8, ptr %row, i64 24
  %delta = load i64, ptr %p3
  %negative = sub i64 0, %align
  %less = sub i64 %align, 1
  %up = add i64 %start, %less
  %first = and i64 %up, %negative
  %lost = sub i64 %first, %start
  %size1 = sub i64 %size, %lost
  %writable1 = sub i64 %writable, %lost
  %host = add i64 %first, %delta
  store i64 %first, ptr %found
  %f1 = getelementptr i8, ptr %found, i64 8
  store i64 %size1, ptr %f1
  %f2 = getelementptr i8, ptr %found, i64 16
  store i64 %writable1, ptr %f2
  %f3 = getelementptr i8, ptr %found, i64 24
  store i64 %host, ptr %f3
  %f4 = getelementptr i8, ptr %found, i64 32
  store i64 %delta, ptr %f4
  ret void
}

; Continues with the next CTA, if it is the neighbour in x and no worker has met a fault; else `openptx.run` determines
; the next.
define i1 @openptx.next_in_row(ptr %w) #1 noinline {
  %pr = getelementptr i8, ptr %w, i64 {IN_ROW}
  %row = load i32, ptr %pr
  %left = sub i32 %row, 1
  store i32 %left, ptr %pr
  %pg = getelementptr i8, ptr %w, i64 {GRID}
  %grid = load ptr, ptr %pg
  %ps = getelementptr i8, ptr %grid, i64 {STOP}
  %stop = load volatile i32, ptr %ps
  %more = icmp ne i32 %left, 0
  %goes = icmp eq i32 %stop, 0
  %both = and i1 %more, %goes
  br i1 %both, label %beside, label %done
done:
  ret i1 false
beside:
  %px = getelementptr i8, ptr %w, i64 {CTAID}
  %x = load i32, ptr %px
  %x1 = add i32 %x, 1
  store i32 %x1, ptr %px
  %pl = getelementptr i8, ptr %w, i64 {LINEAR}
  %linear = load i64, ptr %pl
  %linear1 = add i64 %linear, 1
  store i64 %linear1, ptr %pl
  %pf = getelementptr i8, ptr %w, i64 {FROM}
  %from = load i64, ptr %pf
  %from1 = add i64 %from, 1
  store i64 %from1, ptr %pf
  ret i1 true
}

; The warp after one, if it can run in the same call; else -1.
define i64 @openptx.next_warp(ptr %w, i64 %index) #1 noinline {
  %pw = getelementptr i8, ptr %w, i64 {WARPS}
  %warps = load i64, ptr %pw
  %more = add i64 %index, 1
  %last = icmp eq i64 %more, %warps
  %next = select i1 %last, i64 0, i64 %more
  %pz = getelementptr i8, ptr %w, i64 {FRAME_SIZE}
  %size = load i64, ptr %pz
  %pf = getelementptr i8, ptr %w, i64 {FRAMES}
  %frames = load ptr, ptr %pf
  %place = mul i64 %next, %size
  %frame = getelementptr i8, ptr %frames, i64 %place
  %resume = load i32, ptr %frame
  %gone = icmp eq i32 %resume, -1
  %pv = getelementptr i8, ptr %frame, i64 {VERSION}
  %version = load i32, ptr %pv
  %generic = icmp ne i32 %version, 0
  %pb = getelementptr i8, ptr %frame, i64 {WAITS}
  %waits = load i32, ptr %pb
  %begins = icmp slt i32 %waits, 0
  %number = select i1 %begins, i32 0, i32 %waits
  %offset = mul i32 %number, {BARRIER}
  %barriers = getelementptr i8, ptr %w, i64 {BARRIERS}
  %barrier = getelementptr i8, ptr %barriers, i32 %offset
  %pg = getelementptr i8, ptr %barrier, i64 8
  %generation = load i32, ptr %pg
  %pt = getelementptr i8, ptr %frame, i64 {GENERATION}
  %ticket = load i32, ptr %pt
  %new = icmp ne i32 %generation, %ticket
  %passed = or i1 %begins, %new
  %held = or i1 %gone, %generic
  %notheld = xor i1 %held, true
  %free = and i1 %passed, %notheld
  %r = select i1 %free, i64 %next, i64 -1
  ret i64 %r
}

; A warp arrives at a barrier with neither a count nor a vote; returns the barrier's generation.
define i32 @openptx.come(ptr %w, i64 %number, i64 %live) #1 noinline {
  %number32 = trunc i64 %number to i32
  %live32 = trunc i64 %live to i32
  %ticket = call i32 @openptx.arrive(ptr %w, i32 %number32, i32 0, i32 %live32, i32 0)
  ret i32 %ticket
}

; A warp has ended, for which a barrier may have waited.
define void @openptx.ended(ptr %w, i64 %number) #1 noinline {
  %number32 = trunc i64 %number to i32
  call void @openptx.settle(ptr %w, i32 %number32)
  ret void
}
