; Tracks which bytes of memory are undefined; compiled together with events.ll. A byte of memory that begins undefined
; has a byte of marks: 0 once it has been written, until then its undefined bits. Slots of the address space are in
; {braces} as well.

; A CTA begins: its shared and local memory has not been written.
define internal void @undefine(ptr %s) alwaysinline {
  %ps = getelementptr i8, ptr %s, i64 {SHARED_MARKS}
  %shared = load ptr, ptr %ps
  %pr = getelementptr i8, ptr %s, i64 {RESERVED}
  %reserved = load i64, ptr %pr
  %own = getelementptr i8, ptr %shared, i64 %reserved
  %pb = getelementptr i8, ptr %s, i64 {SHARED_BYTES}
  %bytes = load i64, ptr %pb
  call void @llvm.memset.p0.i64(ptr %own, i8 -1, i64 %bytes, i1 false)
  %pl = getelementptr i8, ptr %s, i64 {LOCAL_MARKS}
  %local = load ptr, ptr %pl
  %pn = getelementptr i8, ptr %s, i64 {LOCAL_BYTES}
  %size = load i64, ptr %pn
  call void @llvm.memset.p0.i64(ptr %local, i8 -1, i64 %size, i1 false)
  ret void
}

; The address of the marks for a lane's address; 0 for memory that is always defined.
define internal i64 @bytes_of(ptr %s, i64 %address, i64 %lane) alwaysinline {
  %slot = lshr i64 %address, {SHIFT}
  %is.local = icmp eq i64 %slot, {LOCAL_SLOT}
  br i1 %is.local, label %local, label %other
local:
  %pf = getelementptr i8, ptr %s, i64 {FIRST}
  %first = load i64, ptr %pf
  %pt = getelementptr i8, ptr %s, i64 {STRIDE}
  %stride = load i64, ptr %pt
  %thread = add i64 %first, %lane
  %frame = mul i64 %thread, %stride
  %window = shl i64 %slot, {SHIFT}
  %offset = sub i64 %address, %window
  %place = add i64 %frame, %offset
  %pl = getelementptr i8, ptr %s, i64 {LOCAL_MARKS}
  %begin = load i64, ptr %pl
  %here = add i64 %begin, %place
  ret i64 %here
other:
  %is.shared = icmp eq i64 %slot, {SHARED_SLOT}
  br i1 %is.shared, label %shared, label %global
shared:
  %own = and i64 %address, {OWN}
  %ps = getelementptr i8, ptr %s, i64 {SHARED_MARKS}
  %all = load i64, ptr %ps
  %mine = add i64 %all, %own
  ret i64 %mine
global:
  %pd = getelementptr i8, ptr %s, i64 {MARKS}
  %table = load ptr, ptr %pd
  %row = getelementptr i64, ptr %table, i64 %slot
  %distance = load i64, ptr %row
  %there = add i64 %address, %distance
  %none = icmp eq i64 %distance, 0
  %found = select i1 %none, i64 0, i64 %there
  ret i64 %found
}

; Whether the %size bytes of marks from a place on are all 0.
define internal i1 @are_defined(ptr %place, i64 %size) {
entry:
  br label %wide
wide:
  %i = phi i64 [ 0, %entry ], [ %i32, %wide.more ]
  %i32 = add i64 %i, 32
  %fits = icmp ule i64 %i32, %size
  br i1 %fits, label %wide.look, label %words
wide.look:
  %p = getelementptr i8, ptr %place, i64 %i
  %v = load i256, ptr %p, align 1
  %good = icmp eq i256 %v, 0
  br i1 %good, label %wide.more, label %no
wide.more:
  br label %wide
words:
  %j = phi i64 [ %i, %wide ], [ %j4, %words.look ]
  %j4 = add i64 %j, 4
  %j.fits = icmp ule i64 %j4, %size
  br i1 %j.fits, label %words.look, label %bytes
words.look:
  %q = getelementptr i8, ptr %place, i64 %j
  %w = load i32, ptr %q, align 1
  %fine = icmp eq i32 %w, 0
  br i1 %fine, label %words, label %no
bytes:
  %k = phi i64 [ %j, %words ], [ %k1, %bytes.look ]
  %k1 = add i64 %k, 1
  %k.fits = icmp ule i64 %k1, %size
  br i1 %k.fits, label %bytes.look, label %yes
bytes.look:
  %r = getelementptr i8, ptr %place, i64 %k
  %byte = load i8, ptr %r
  %right = icmp eq i8 %byte, 0
  br i1 %right, label %bytes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Lanes have loaded %size bytes each, at the addresses in the watch block.
define void @watch.loaded(ptr %s, i64 %mask, i64 %size, i64 %site) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %lanes
lanes:
  %pa = getelementptr i8, ptr %s, i64 {LANES}
  br label %each
each:
  %rest = phi i64 [ %mask, %lanes ], [ %less, %each.more ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %pl = getelementptr i64, ptr %pa, i64 %lane
  %address = load i64, ptr %pl
  %bytes = call i64 @bytes_of(ptr %s, i64 %address, i64 %lane)
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %each.more, label %check
check:
  %at = inttoptr i64 %bytes to ptr
  %good = call i1 @are_defined(ptr %at, i64 %size)
  br i1 %good, label %each.more, label %tell
each.more:
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
tell:
  call void @suspect(ptr %s, i64 {UNWRITTEN}, i64 %site)
  br label %done
done:
  ret void
}

; The same for lanes from %first on, the lowest bit of the mask, at addresses %step bytes apart: adjacent (%step is
; %size) or all equal (0).
define void @watch.loaded.row(ptr %s, i64 %address, i64 %mask, i64 %size, i64 %first, i64 %step, i64 %site) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %some
some:
  %low = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %zeros = call i64 @llvm.ctlz.i64(i64 %mask, i1 true)
  %high = sub i64 63, %zeros
  %low.step = mul i64 %low, %step
  %begin = add i64 %address, %low.step
  %high.step = mul i64 %high, %step
  %last = add i64 %address, %high.step
  %slot = lshr i64 %begin, {SHIFT}
  %other = lshr i64 %last, {SHIFT}
  %one.slot = icmp eq i64 %slot, %other
  %shared = icmp ne i64 %slot, {LOCAL_SLOT}
  %alike = and i1 %one.slot, %shared
  %moved = lshr i64 %mask, %low
  %next = add i64 %moved, 1
  %both = and i64 %moved, %next
  %dense = icmp eq i64 %both, 0
  %one = icmp eq i64 %step, 0
  %gapless = or i1 %dense, %one
  %simple = and i1 %alike, %gapless
  br i1 %simple, label %whole.row, label %each
whole.row:
  %found = call i64 @bytes_of(ptr %s, i64 %begin, i64 0)
  %defined = icmp eq i64 %found, 0
  br i1 %defined, label %done, label %look
look:
  %row = inttoptr i64 %found to ptr
  %span = sub i64 %last, %begin
  %length = add i64 %span, %size
  %whole = call i1 @are_defined(ptr %row, i64 %length)
  br i1 %whole, label %done, label %tell
each:
  %rest = phi i64 [ %mask, %some ], [ %less, %each.more ]
  %index = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lane = add i64 %index, %first
  %distance = mul i64 %index, %step
  %place = add i64 %address, %distance
  %bytes = call i64 @bytes_of(ptr %s, i64 %place, i64 %lane)
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %each.more, label %check
check:
  %at = inttoptr i64 %bytes to ptr
  %good = call i1 @are_defined(ptr %at, i64 %size)
  br i1 %good, label %each.more, label %tell
each.more:
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
tell:
  call void @suspect(ptr %s, i64 {UNWRITTEN}, i64 %site)
  br label %done
done:
  ret void
}

; Lanes have stored %size bytes each, at the addresses in the watch block.
define void @watch.stored(ptr %s, i64 %mask, i64 %size) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %lanes
lanes:
  %pa = getelementptr i8, ptr %s, i64 {LANES}
  br label %each
each:
  %rest = phi i64 [ %mask, %lanes ], [ %less, %each.more ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %pl = getelementptr i64, ptr %pa, i64 %lane
  %address = load i64, ptr %pl
  %bytes = call i64 @bytes_of(ptr %s, i64 %address, i64 %lane)
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %each.more, label %check
check:
  %at = inttoptr i64 %bytes to ptr
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %size, i1 false)
  br label %each.more
each.more:
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
done:
  ret void
}

; The same for lanes from %first on, the lowest bit of the mask, at addresses %step bytes apart: adjacent (%step is
; %size) or all equal (0).
define void @watch.stored.row(ptr %s, i64 %address, i64 %mask, i64 %size, i64 %first, i64 %step) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %some
some:
  %low = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %zeros = call i64 @llvm.ctlz.i64(i64 %mask, i1 true)
  %high = sub i64 63, %zeros
  %low.step = mul i64 %low, %step
  %begin = add i64 %address, %low.step
  %high.step = mul i64 %high, %step
  %last = add i64 %address, %high.step
  %slot = lshr i64 %begin, {SHIFT}
  %other = lshr i64 %last, {SHIFT}
  %one.slot = icmp eq i64 %slot, %other
  %shared = icmp ne i64 %slot, {LOCAL_SLOT}
  %alike = and i1 %one.slot, %shared
  %moved = lshr i64 %mask, %low
  %next = add i64 %moved, 1
  %both = and i64 %moved, %next
  %dense = icmp eq i64 %both, 0
  %one = icmp eq i64 %step, 0
  %gapless = or i1 %dense, %one
  %simple = and i1 %alike, %gapless
  br i1 %simple, label %whole.row, label %each
whole.row:
  %found = call i64 @bytes_of(ptr %s, i64 %begin, i64 0)
  %defined = icmp eq i64 %found, 0
  br i1 %defined, label %done, label %look
look:
  %row = inttoptr i64 %found to ptr
  %span = sub i64 %last, %begin
  %length = add i64 %span, %size
  call void @llvm.memset.p0.i64(ptr %row, i8 0, i64 %length, i1 false)
  br label %done
each:
  %rest = phi i64 [ %mask, %some ], [ %less, %each.more ]
  %index = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lane = add i64 %index, %first
  %distance = mul i64 %index, %step
  %place = add i64 %address, %distance
  %bytes = call i64 @bytes_of(ptr %s, i64 %place, i64 %lane)
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %each.more, label %check
check:
  %at = inttoptr i64 %bytes to ptr
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %size, i1 false)
  br label %each.more
each.more:
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
done:
  ret void
}

; The bytes of a place in a lane's local memory.
define internal ptr @local_bytes(ptr %s, i64 %lane, i64 %offset) alwaysinline {
  %pf = getelementptr i8, ptr %s, i64 {FIRST}
  %first = load i64, ptr %pf
  %pt = getelementptr i8, ptr %s, i64 {STRIDE}
  %stride = load i64, ptr %pt
  %thread = add i64 %first, %lane
  %frame = mul i64 %thread, %stride
  %place = add i64 %frame, %offset
  %pl = getelementptr i8, ptr %s, i64 {LOCAL_MARKS}
  %begin = load ptr, ptr %pl
  %here = getelementptr i8, ptr %begin, i64 %place
  ret ptr %here
}

; Lanes begin an activation: its frame has not been written.
define void @watch.undefines(ptr %s, i64 %mask, i64 %base, i64 %size) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %each
each:
  %rest = phi i64 [ %mask, %entry ], [ %less, %each ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %bytes = call ptr @local_bytes(ptr %s, i64 %lane, i64 %base)
  call void @llvm.memset.p0.i64(ptr %bytes, i8 -1, i64 %size, i1 false)
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
done:
  ret void
}

; Bytes of a parameter go from one activation to another.
define void @watch.copied(ptr %s, i64 %mask, i64 %to, i64 %from, i64 %size) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %each
each:
  %rest = phi i64 [ %mask, %entry ], [ %less, %each ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %there = call ptr @local_bytes(ptr %s, i64 %lane, i64 %to)
  %here = call ptr @local_bytes(ptr %s, i64 %lane, i64 %from)
  call void @llvm.memmove.p0.p0.i64(ptr %there, ptr %here, i64 %size, i1 false)
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %over = icmp eq i64 %less, 0
  br i1 %over, label %done, label %each
done:
  ret void
}
