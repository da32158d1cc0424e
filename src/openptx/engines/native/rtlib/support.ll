; What every kernel's code calls: exact accesses lane by lane, barriers, and the loop over CTAs.
; Numbers in {braces} are offsets and codes of abi.py. Scalar code, executed rarely; correctness counts here.

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)

define internal ptr @openptx.refuse(ptr %w, i32 %kind, i64 %address, i32 %space, i64 %limit, i32 %lane) noinline {
  %p0 = getelementptr i8, ptr %w, i64 {KIND}
  store i32 %kind, ptr %p0
  %p1 = getelementptr i8, ptr %w, i64 {LANES}
  %bit = shl i32 1, %lane
  store i32 %bit, ptr %p1
  %p2 = getelementptr i8, ptr %w, i64 {ADDRESS}
  store i64 %address, ptr %p2
  %p3 = getelementptr i8, ptr %w, i64 {SPACE}
  store i32 %space, ptr %p3
  %p4 = getelementptr i8, ptr %w, i64 {LIMIT}
  store i64 %limit, ptr %p4
  ret ptr null
}

; Where `size` bytes at an address of a space are in this process; null, with a fault recorded, if they must not be
; accessed.
define internal ptr @openptx.resolve(ptr %w, i64 %a, i32 %space, i64 %size, i1 %write, i32 %lane, i32 %first, i64 %locals) alwaysinline {
  %range = alloca { i64, i64 }
  %r = call ptr @openptx.resolve_range(ptr %w, i64 %a, i32 %space, i64 %size, i1 %write, i32 %lane, i32 %first, i64 %locals, ptr %range)
  ret ptr %r
}

; The same; in %range the lowest address and the number of addresses around this one where `size` bytes may be accessed
; by every lane, if they are aligned, at the same distance from their places in this process. None in local memory.
define internal ptr @openptx.resolve_range(ptr %w, i64 %a, i32 %space, i64 %size, i1 %write, i32 %lane, i32 %first, i64 %locals, ptr %range) noinline {
entry:
  %number = getelementptr i8, ptr %range, i64 8
  store i64 0, ptr %range
  store i64 0, ptr %number
  %low = sub i64 %size, 1
  switch i32 %space, label %generic [ i32 1, label %global i32 2, label %shared i32 3, label %shared i32 4, label %local i32 5, label %local i32 6, label %const i32 7, label %param ]
generic:
  %slot0 = lshr i64 %a, {SHIFT}
  %within = and i64 %a, {WITHIN}
  switch i64 %slot0, label %table [ i64 1, label %shared i64 2, label %local ]
const:
  br label %window
param:
  br label %window
window:
  %only = phi i64 [ {CONST}, %const ], [ {PARAM}, %param ]
  %pw = getelementptr i8, ptr %w, i64 {TABLE}
  %windows = load ptr, ptr %pw
  %roww = getelementptr [{ROW} x i8], ptr %windows, i64 %only
  %startw = load i64, ptr %roww
  %pw1 = getelementptr i8, ptr %roww, i64 8
  %limit3 = load i64, ptr %pw1
  %pw2 = getelementptr i8, ptr %roww, i64 24
  %deltaw = load i64, ptr %pw2
  %hostw = add i64 %startw, %deltaw
  %base4 = inttoptr i64 %hostw to ptr
  br label %bounded
global:
  ; The window of parameters is inside of .global, all others are outside (6.4.1.1).
  %slotg = lshr i64 %a, {SHIFT}
  %beyond = icmp uge i64 %slotg, {FIRST}
  %isparam = icmp eq i64 %slotg, {PARAM}
  %global1 = or i1 %beyond, %isparam
  br label %table
shared:
  %asked = phi i64 [ %a, %entry ], [ %a, %entry ], [ %within, %generic ]
  ; The 32 bits of a generic address are a shared address (6.4.1).
  %high = lshr i64 %asked, 32
  %pointer = icmp eq i64 %high, 1
  %bits = and i64 %asked, 4294967295
  %as = select i1 %pointer, i64 %bits, i64 %asked
  %rank = lshr i64 %as, 24
  %unranked = icmp eq i64 %rank, 0
  %ranked = icmp eq i64 %rank, {RANK_0}
  %own = or i1 %unranked, %ranked
  %mine1 = and i64 %as, 16777215
  %offset1 = select i1 %own, i64 %mine1, i64 %as
  %p1 = getelementptr i8, ptr %w, i64 {SHARED_SIZE}
  %limit1 = load i64, ptr %p1
  %p2 = getelementptr i8, ptr %w, i64 {SHARED}
  %base1 = load ptr, ptr %p2
  br label %bounded
local:
  %al = phi i64 [ %a, %entry ], [ %a, %entry ], [ %within, %generic ]
  %spl = phi i32 [ %space, %entry ], [ %space, %entry ], [ 4, %generic ]
  %p3 = getelementptr i8, ptr %w, i64 {LOCAL}
  %base2 = load ptr, ptr %p3
  %p4 = getelementptr i8, ptr %w, i64 {STRIDE}
  %stride = load i64, ptr %p4
  %thread32 = add i32 %first, %lane
  %thread = zext i32 %thread32 to i64
  %mine = mul i64 %thread, %stride
  %base3 = getelementptr i8, ptr %base2, i64 %mine
  br label %bounded
bounded:
  %offset = phi i64 [ %offset1, %shared ], [ %al, %local ], [ %a, %window ]
  %limit = phi i64 [ %limit1, %shared ], [ %locals, %local ], [ %limit3, %window ]
  %base = phi ptr [ %base1, %shared ], [ %base3, %local ], [ %base4, %window ]
  %name = phi i32 [ 2, %shared ], [ %spl, %local ], [ %space, %window ]
  %constant = phi i1 [ false, %shared ], [ false, %local ], [ true, %window ]
  %common = phi i1 [ true, %shared ], [ false, %local ], [ true, %window ]
  %odd = and i64 %offset, %low
  %crooked = icmp ne i64 %odd, 0
  br i1 %crooked, label %misaligned, label %inside
misaligned:
  %r1 = call ptr @openptx.refuse(ptr %w, i32 {MISALIGNED}, i64 %offset, i32 %name, i64 %limit, i32 %lane)
  ret ptr null
inside:
  %room = sub i64 %limit, %size
  %negative = icmp slt i64 %room, 0
  %past = icmp ugt i64 %offset, %room
  %bad = or i1 %negative, %past
  br i1 %bad, label %outside, label %good
outside:
  %r2 = call ptr @openptx.refuse(ptr %w, i32 {OUT_OF_BOUNDS}, i64 %offset, i32 %name, i64 %limit, i32 %lane)
  ret ptr null
good:
  %forbidden = and i1 %constant, %write
  br i1 %forbidden, label %constants, label %allowed1
constants:
  %r6 = call ptr @openptx.refuse(ptr %w, i32 {READ_ONLY}, i64 %offset, i32 %name, i64 %limit, i32 %lane)
  ret ptr null
allowed1:
  %begin1 = sub i64 %a, %offset
  store i64 %begin1, ptr %range
  %places1 = add i64 %room, 1
  %places2 = select i1 %common, i64 %places1, i64 0
  store i64 %places2, ptr %number
  %host = getelementptr i8, ptr %base, i64 %offset
  ret ptr %host
table:
  %at = phi i64 [ %a, %generic ], [ %a, %global ]
  %allowed = phi i1 [ true, %generic ], [ %global1, %global ]
  %slot1 = lshr i64 %at, {SHIFT}
  %p5 = getelementptr i8, ptr %w, i64 {SLOTS}
  %slots = load i64, ptr %p5
  %listed = icmp ult i64 %slot1, %slots
  %known = and i1 %listed, %allowed
  %slot = select i1 %known, i64 %slot1, i64 0
  %p6 = getelementptr i8, ptr %w, i64 {TABLE}
  %rows = load ptr, ptr %p6
  %row = getelementptr [{ROW} x i8], ptr %rows, i64 %slot
  %start = load i64, ptr %row
  %p7 = getelementptr i8, ptr %row, i64 8
  %extent = load i64, ptr %p7
  %p8 = getelementptr i8, ptr %row, i64 16
  %writable = load i64, ptr %p8
  %p9 = getelementptr i8, ptr %row, i64 24
  %delta = load i64, ptr %p9
  %odd1 = and i64 %at, %low
  %crooked1 = icmp ne i64 %odd1, 0
  br i1 %crooked1, label %misaligned1, label %inside1
misaligned1:
  %r3 = call ptr @openptx.refuse(ptr %w, i32 {MISALIGNED}, i64 %at, i32 %space, i64 -1, i32 %lane)
  ret ptr null
inside1:
  %off = sub i64 %at, %start
  %room1 = sub i64 %extent, %size
  %negative1 = icmp slt i64 %room1, 0
  %past1 = icmp ugt i64 %off, %room1
  %bad1 = or i1 %negative1, %past1
  br i1 %bad1, label %outside1, label %rights
outside1:
  %ph = getelementptr i8, ptr %w, i64 {HEAP}
  %left = load ptr, ptr %ph
  %pb = getelementptr i8, ptr %w, i64 {HEAP_BASE}
  %begin = load i64, ptr %pb
  %pe = getelementptr i8, ptr %w, i64 {HEAP_SIZE}
  %length = load i64, ptr %pe
  %there = sub i64 %at, %begin
  %here = icmp ult i64 %there, %length
  br i1 %here, label %heap, label %nowhere
heap:
  %sixteens = lshr i64 %there, 4
  %pl = getelementptr i8, ptr %left, i64 %sixteens
  %some = load i8, ptr %pl
  %bytes = zext i8 %some to i64
  %into = and i64 %there, 15
  %reaches = add i64 %into, %size
  %given = icmp ule i64 %reaches, %bytes
  br i1 %given, label %good1, label %nowhere
nowhere:
  %r4 = call ptr @openptx.refuse(ptr %w, i32 {OUT_OF_BOUNDS}, i64 %at, i32 %space, i64 -1, i32 %lane)
  ret ptr null
rights:
  %locked = icmp eq i64 %writable, 0
  %denied = and i1 %locked, %write
  br i1 %denied, label %readonly, label %listed1
readonly:
  %r5 = call ptr @openptx.refuse(ptr %w, i32 {READ_ONLY}, i64 %at, i32 %space, i64 -1, i32 %lane)
  ret ptr null
listed1:
  store i64 %start, ptr %range
  %places3 = add i64 %room1, 1
  store i64 %places3, ptr %number
  br label %good1
good1:
  %hosted = add i64 %at, %delta
  %host1 = inttoptr i64 %hosted to ptr
  ret ptr %host1
}

define internal void @openptx.move(ptr %to, ptr %from, i32 %step) alwaysinline {
  switch i32 %step, label %one [ i32 2, label %two i32 4, label %four i32 8, label %eight ]
one:
  %v1 = load i8, ptr %from
  store i8 %v1, ptr %to
  ret void
two:
  %v2 = load i16, ptr %from
  store i16 %v2, ptr %to
  ret void
four:
  %v4 = load i32, ptr %from
  store i32 %v4, ptr %to
  ret void
eight:
  %v8 = load i64, ptr %from
  store i64 %v8, ptr %to
  ret void
}

; Accesses by the lanes in %mask at the addresses in SCRATCH. %what: from the low bits, 7 bits of the space's number, one
; (WRAPS) that is set if base plus offset is modulo 2^32, 8 of an element's size, 16 of the number of elements, 32 of the
; site. Returns whether a lane faulted.
;
; Functions with attributes #1 take only words of 64 bits: of a register whose lower half is a parameter, LLVM believes
; that they preserve the upper half, so a value that the kernel keeps in the whole register would be lost.
define i1 @openptx.load(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals) #1 noinline {
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 0)
  ret i1 %r
}

define i1 @openptx.store(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals) #1 noinline {
  %check = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 3)
  br i1 %check, label %failed, label %fine
failed:
  ret i1 true
fine:
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 1)
  ret i1 %r
}

define i1 @openptx.places(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals) #1 noinline {
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 2)
  ret i1 %r
}

; The same for addresses that are `base` plus known offsets, where none can be in local memory: that takes two parameters
; more, of which the last of seven is on the stack.
define i1 @openptx.load_span(ptr %w, i64 %mask, i64 %what, i64 %base, ptr %offsets) #1 #0 noinline {
  call void @openptx.spread(ptr %w, i64 %what, i64 %base, ptr %offsets)
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 0, i64 0, i32 0)
  ret i1 %r
}

define i1 @openptx.load_span_local(ptr %w, i64 %mask, i64 %what, i64 %base, ptr %offsets, i64 %first, i64 %locals) #1 #0 noinline {
  call void @openptx.spread(ptr %w, i64 %what, i64 %base, ptr %offsets)
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 0)
  ret i1 %r
}

; The same for one address: the lowest lane's elements are left where those of lane 0 are.
define i1 @openptx.load_one(ptr %w, i64 %mask, i64 %what, i64 %address) #1 noinline {
  %r = call i1 @openptx.one(ptr %w, i64 %mask, i64 %what, i64 %address, i64 0, i64 0)
  ret i1 %r
}

define i1 @openptx.load_one_local(ptr %w, i64 %mask, i64 %what, i64 %address, i64 %first, i64 %locals) #1 noinline {
  %r = call i1 @openptx.one(ptr %w, i64 %mask, i64 %what, i64 %address, i64 %first, i64 %locals)
  ret i1 %r
}

define internal i1 @openptx.one(ptr %w, i64 %mask, i64 %what, i64 %address, i64 %first, i64 %locals) #0 noinline {
  %scratch = getelementptr i8, ptr %w, i64 {SCRATCH}
  %one = insertelement <32 x i64> poison, i64 %address, i32 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  store <32 x i64> %all, ptr %scratch, align 64
  %r = call i1 @openptx.access(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals, i32 0)
  br i1 %r, label %failed, label %found
failed:
  ret i1 true
found:
  %mask32 = trunc i64 %mask to i32
  %lane = call i32 @llvm.cttz.i32(i32 %mask32, i1 false)
  %what32 = trunc i64 %what to i32
  %what8 = lshr i32 %what32, 8
  %step = and i32 %what8, 255
  %count = lshr i32 %what32, 16
  %data = getelementptr i8, ptr %w, i64 {DATA}
  %off = mul i32 %lane, %step
  %own = getelementptr i8, ptr %data, i32 %off
  %row = mul i32 %step, 32
  br label %each
each:
  %i = phi i32 [ 0, %found ], [ %i1, %each ]
  %at = mul i32 %i, %row
  %to = getelementptr i8, ptr %data, i32 %at
  %from = getelementptr i8, ptr %own, i32 %at
  call void @openptx.move(ptr %to, ptr %from, i32 %step)
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %count
  br i1 %more, label %each, label %done
done:
  ret i1 false
}

; The union of some masks of lanes in a row.
define i32 @openptx.union(ptr %masks, i64 %count) noinline {
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %next ]
  %before = phi i32 [ 0, %entry ], [ %both, %next ]
  %place = getelementptr i32, ptr %masks, i64 %i
  %mask = load i32, ptr %place
  %both = or i32 %before, %mask
  %after = add i64 %i, 1
  %more = icmp ult i64 %after, %count
  br i1 %more, label %next, label %done
done:
  %found = phi i32 [ 0, %entry ], [ %both, %next ]
  ret i32 %found
}

; Records that a condition of an instruction does not hold in some lanes, with a value of the lowest of them.
define void @openptx.wrong(ptr %w, i32 %lanes, i32 %site, i32 %message, i64 %value) noinline {
  %p0 = getelementptr i8, ptr %w, i64 {KIND}
  store i32 {REQUIRED}, ptr %p0
  %p1 = getelementptr i8, ptr %w, i64 {LANES}
  store i32 %lanes, ptr %p1
  %p2 = getelementptr i8, ptr %w, i64 {ADDRESS}
  store i64 %value, ptr %p2
  %p3 = getelementptr i8, ptr %w, i64 {SPACE}
  store i32 %message, ptr %p3
  %p4 = getelementptr i8, ptr %w, i64 {SITE}
  store i32 %site, ptr %p4
  ret void
}

define i1 @openptx.store_span(ptr %w, i64 %mask, i64 %what, i64 %base, ptr %offsets) #1 #0 noinline {
  call void @openptx.spread(ptr %w, i64 %what, i64 %base, ptr %offsets)
  %r = call i1 @openptx.store(ptr %w, i64 %mask, i64 %what, i64 0, i64 0)
  ret i1 %r
}

define i1 @openptx.store_span_local(ptr %w, i64 %mask, i64 %what, i64 %base, ptr %offsets, i64 %first, i64 %locals) #1 #0 noinline {
  call void @openptx.spread(ptr %w, i64 %what, i64 %base, ptr %offsets)
  %r = call i1 @openptx.store(ptr %w, i64 %mask, i64 %what, i64 %first, i64 %locals)
  ret i1 %r
}

define internal void @openptx.spread(ptr %w, i64 %what, i64 %base, ptr %offsets) alwaysinline {
  %scratch = getelementptr i8, ptr %w, i64 {SCRATCH}
  %lanes = load <32 x i64>, ptr %offsets, align 64
  %one = insertelement <32 x i64> poison, i64 %base, i32 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  %at = add <32 x i64> %all, %lanes
  %bit = and i64 %what, {WRAPS}
  %wraps = icmp ne i64 %bit, 0
  %bits = select i1 %wraps, i64 4294967295, i64 -1
  %one_mask = insertelement <32 x i64> poison, i64 %bits, i32 0
  %every = shufflevector <32 x i64> %one_mask, <32 x i64> poison, <32 x i32> zeroinitializer
  %found = and <32 x i64> %at, %every
  store <32 x i64> %found, ptr %scratch, align 64
  ret void
}

; %mode: 0 loads, 1 stores, 2 leaves addresses of this process in SCRATCH, 3 only checks that a store is allowed. In rounds:
; the lowest lane left, and all others in the same memory.
define internal i1 @openptx.access(ptr %w, i64 %mask64, i64 %what64, i64 %first64, i64 %locals, i32 %mode) #0 noinline {
entry:
  %mask = trunc i64 %mask64 to i32
  %first = trunc i64 %first64 to i32
  %what = trunc i64 %what64 to i32
  %site64 = lshr i64 %what64, 32
  %site = trunc i64 %site64 to i32
  %ps0 = getelementptr i8, ptr %w, i64 {SITE}
  store i32 %site, ptr %ps0
  %space = and i32 %what, 127
  %what8 = lshr i32 %what, 8
  %step = and i32 %what8, 255
  %count = lshr i32 %what, 16
  %all = mul i32 %step, %count
  %size = zext i32 %all to i64
  %write = icmp ne i32 %mode, 0
  %ps = getelementptr i8, ptr %w, i64 {SIZE}
  %told = shl i32 %mode, 24
  %sized = or i32 %all, %told
  store i32 %sized, ptr %ps
  %scratch = getelementptr i8, ptr %w, i64 {SCRATCH}
  %data = getelementptr i8, ptr %w, i64 {DATA}
  %row = mul i32 %step, 32
  %range = alloca { i64, i64 }
  %pn = getelementptr i8, ptr %range, i64 8
  %low = sub i64 %size, 1
  %low1 = insertelement <32 x i64> poison, i64 %low, i32 0
  %lows = shufflevector <32 x i64> %low1, <32 x i64> poison, <32 x i32> zeroinitializer
  br label %round
round:
  %rest = phi i32 [ %mask, %entry ], [ %later, %good ], [ %later, %next ]
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %done, label %one
done:
  ret i1 false
one:
  %lowest = call i32 @llvm.cttz.i32(i32 %rest, i1 false)
  %pl = getelementptr i64, ptr %scratch, i32 %lowest
  %a = load i64, ptr %pl
  %host = call ptr @openptx.resolve_range(ptr %w, i64 %a, i32 %space, i64 %size, i1 %write, i32 %lowest, i32 %first, i64 %locals, ptr %range)
  %bad = icmp eq ptr %host, null
  br i1 %bad, label %failed, label %good
failed:
  ret i1 true
good:
  %start = load i64, ptr %range
  %number = load i64, ptr %pn
  %host64 = ptrtoint ptr %host to i64
  %delta = sub i64 %host64, %a
  %addresses = load <32 x i64>, ptr %scratch, align 64
  %start1 = insertelement <32 x i64> poison, i64 %start, i32 0
  %starts = shufflevector <32 x i64> %start1, <32 x i64> poison, <32 x i32> zeroinitializer
  %number1 = insertelement <32 x i64> poison, i64 %number, i32 0
  %numbers = shufflevector <32 x i64> %number1, <32 x i64> poison, <32 x i32> zeroinitializer
  %offsets = sub <32 x i64> %addresses, %starts
  %in = icmp ult <32 x i64> %offsets, %numbers
  %odd = and <32 x i64> %addresses, %lows
  %even = icmp eq <32 x i64> %odd, zeroinitializer
  %valid = and <32 x i1> %in, %even
  %word = bitcast <32 x i1> %valid to i32
  %bit = shl i32 1, %lowest
  %found = or i32 %word, %bit
  %here = and i32 %rest, %found
  %later = xor i32 %rest, %here
  %checks = icmp eq i32 %mode, 3
  br i1 %checks, label %round, label %lanes
lanes:
  %left = phi i32 [ %here, %good ], [ %less, %next ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
  %minus = sub i32 %left, 1
  %less = and i32 %left, %minus
  %pa = getelementptr i64, ptr %scratch, i32 %lane
  %address = load i64, ptr %pa
  %place = add i64 %address, %delta
  %index = mul i32 %lane, %step
  %own = getelementptr i8, ptr %data, i32 %index
  %theirs = inttoptr i64 %place to ptr
  %from0 = select i1 %write, ptr %own, ptr %theirs
  %to0 = select i1 %write, ptr %theirs, ptr %own
  %into = select i1 %write, i32 %step, i32 %row
  %out = select i1 %write, i32 %row, i32 %step
  %places = icmp eq i32 %mode, 2
  br i1 %places, label %keep, label %elements
keep:
  store i64 %place, ptr %pa
  br label %next
elements:
  %i = phi i32 [ 0, %lanes ], [ %i1, %elements ]
  %from = phi ptr [ %from0, %lanes ], [ %from1, %elements ]
  %to = phi ptr [ %to0, %lanes ], [ %to1, %elements ]
  call void @openptx.move(ptr %to, ptr %from, i32 %step)
  %from1 = getelementptr i8, ptr %from, i32 %out
  %to1 = getelementptr i8, ptr %to, i32 %into
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %count
  br i1 %more, label %elements, label %next
next:
  %again = icmp ne i32 %less, 0
  br i1 %again, label %lanes, label %round
}

; Copies bytes within each lane's local memory, for arguments; both places are known to be valid.
define void @openptx.copy(ptr %w, i32 %mask, i64 %to, i64 %from, i64 %size, i32 %first) noinline {
entry:
  %p0 = getelementptr i8, ptr %w, i64 {LOCAL}
  %local = load ptr, ptr %p0
  %p1 = getelementptr i8, ptr %w, i64 {STRIDE}
  %stride = load i64, ptr %p1
  br label %lanes
lanes:
  %rest = phi i32 [ %mask, %entry ], [ %less, %one ]
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %done, label %one
done:
  ret void
one:
  %lane = call i32 @llvm.cttz.i32(i32 %rest, i1 false)
  %minus = sub i32 %rest, 1
  %less = and i32 %rest, %minus
  %thread32 = add i32 %first, %lane
  %thread = zext i32 %thread32 to i64
  %at = mul i64 %thread, %stride
  %mine = getelementptr i8, ptr %local, i64 %at
  %there = getelementptr i8, ptr %mine, i64 %to
  %here = getelementptr i8, ptr %mine, i64 %from
  call void @llvm.memmove.p0.p0.i64(ptr %there, ptr %here, i64 %size, i1 false)
  br label %lanes
}

; Copies bytes from one space to another, lane by lane. Up to 16 are moved in words as wide as their alignment allows;
; of more, the first and the last must lie in one allocation, and in the heap all between them must lie in blocks of
; `malloc`. A fault names the whole copy, whose size is then the first in MORE: the lanes may be rows of a box, and the
; recorded lane the one that copies the box. Targets, origins and sizes are in SCRATCH, DATA and MORE.
define i1 @openptx.bring(ptr %w, i32 %mask, i32 %to, i32 %from, i32 %first, i64 %locals) noinline {
entry:
  %targets = getelementptr i8, ptr %w, i64 {SCRATCH}
  %origins = getelementptr i8, ptr %w, i64 {DATA}
  %sizes = getelementptr i8, ptr %w, i64 {MORE}
  %ps = getelementptr i8, ptr %w, i64 {SIZE}
  br label %lanes
lanes:
  %rest = phi i32 [ %mask, %entry ], [ %less, %one ], [ %less, %move ]
  %long = phi i1 [ false, %entry ], [ %long, %one ], [ %long1, %move ]
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %done, label %one
done:
  br i1 %long, label %look, label %brought
look:
  %stop = call i1 @openptx.poll(ptr %w)
  ret i1 %stop
brought:
  ret i1 false
failed:
  %missed = phi i64 [ %at, %check ], [ %at, %found ], [ %i, %sixteen ], [ %i, %foundi ]
  %pa = getelementptr i8, ptr %w, i64 {ADDRESS}
  %wrong = load i64, ptr %pa
  %whence = sub i64 %wrong, %missed
  store i64 %whence, ptr %pa
  ret i1 true
one:
  %lane = call i32 @llvm.cttz.i32(i32 %rest, i1 false)
  %minus = sub i32 %rest, 1
  %less = and i32 %rest, %minus
  %psize = getelementptr i64, ptr %sizes, i32 %lane
  %size = load i64, ptr %psize
  %nothing = icmp eq i64 %size, 0
  br i1 %nothing, label %lanes, label %some
some:
  %pt = getelementptr i64, ptr %targets, i32 %lane
  %target = load i64, ptr %pt
  %po = getelementptr i64, ptr %origins, i32 %lane
  %origin = load i64, ptr %po
  %size1 = sub i64 %size, 1
  %bits = and i64 %size, %size1
  %power = icmp eq i64 %bits, 0
  %small = icmp ule i64 %size, 16
  %short = and i1 %power, %small
  %any0 = or i64 %target, %origin
  %any1 = or i64 %any0, %size
  %any = or i64 %any1, 8
  %negative = sub i64 0, %any
  %lowest = and i64 %any, %negative
  %step = select i1 %short, i64 %lowest, i64 1
  %stride = select i1 %short, i64 %step, i64 %size1
  store i32 67108864, ptr %ps
  store i64 %size, ptr %sizes
  br label %check
check:
  %at = phi i64 [ 0, %some ], [ %at1, %next ]
  %fromhere = phi ptr [ null, %some ], [ %begin, %next ]
  %tohere = phi ptr [ null, %some ], [ %start, %next ]
  %a = add i64 %origin, %at
  %b = add i64 %target, %at
  %here = call ptr @openptx.resolve(ptr %w, i64 %a, i32 %from, i64 %step, i1 false, i32 %lane, i32 %first, i64 %locals)
  %lost = icmp eq ptr %here, null
  br i1 %lost, label %failed, label %found
found:
  %there = call ptr @openptx.resolve(ptr %w, i64 %b, i32 %to, i64 %step, i1 true, i32 %lane, i32 %first, i64 %locals)
  %refused = icmp eq ptr %there, null
  br i1 %refused, label %failed, label %next
next:
  %isfirst = icmp eq i64 %at, 0
  %begin = select i1 %isfirst, ptr %here, ptr %fromhere
  %start = select i1 %isfirst, ptr %there, ptr %tohere
  %at1 = add i64 %at, %stride
  %onward = icmp ult i64 %at1, %size
  %still = icmp ne i64 %stride, 0
  %more = and i1 %onward, %still
  br i1 %more, label %check, label %moved
moved:
  %begin64 = ptrtoint ptr %begin to i64
  %here64 = ptrtoint ptr %here to i64
  %readto = sub i64 %here64, %begin64
  %readone = icmp eq i64 %readto, %at
  br i1 %readone, label %written, label %tornread
tornread:
  %r1 = call ptr @openptx.refuse(ptr %w, i32 {TORN}, i64 %origin, i32 %from, i64 -1, i32 %lane)
  ret i1 true
written:
  %start64 = ptrtoint ptr %start to i64
  %there64 = ptrtoint ptr %there to i64
  %writtento = sub i64 %there64, %start64
  %writtenone = icmp eq i64 %writtento, %at
  br i1 %writtenone, label %whole, label %tornwritten
tornwritten:
  %r2 = call ptr @openptx.refuse(ptr %w, i32 {TORN}, i64 %target, i32 %to, i64 -1, i32 %lane)
  ret i1 true
whole:
  %pb = getelementptr i8, ptr %w, i64 {HEAP_BASE}
  %base = load i64, ptr %pb
  %pe = getelementptr i8, ptr %w, i64 {HEAP_SIZE}
  %length = load i64, ptr %pe
  %offset1 = sub i64 %origin, %base
  %offset2 = sub i64 %target, %base
  %heap1 = icmp ult i64 %offset1, %length
  %heap2 = icmp ult i64 %offset2, %length
  %heap = or i1 %heap1, %heap2
  %each = select i1 %short, i1 false, i1 %heap
  br i1 %each, label %sixteen, label %move
sixteen:
  %i = phi i64 [ 0, %whole ], [ %i1, %sixteens ]
  %ai = add i64 %origin, %i
  %bi = add i64 %target, %i
  %herei = call ptr @openptx.resolve(ptr %w, i64 %ai, i32 %from, i64 1, i1 false, i32 %lane, i32 %first, i64 %locals)
  %losti = icmp eq ptr %herei, null
  br i1 %losti, label %failed, label %foundi
foundi:
  %therei = call ptr @openptx.resolve(ptr %w, i64 %bi, i32 %to, i64 1, i1 true, i32 %lane, i32 %first, i64 %locals)
  %refusedi = icmp eq ptr %therei, null
  br i1 %refusedi, label %failed, label %sixteens
sixteens:
  %i1 = add i64 %i, 16
  %morei = icmp ult i64 %i1, %size
  br i1 %morei, label %sixteen, label %move
move:
  call void @llvm.memmove.p0.p0.i64(ptr %start, ptr %begin, i64 %size, i1 false)
  %many = icmp ugt i64 %size, 1023
  %long1 = or i1 %long, %many
  br label %lanes
}

; A fault passes through a call: records the call's site.
define void @openptx.chain(ptr %w, i32 %site) noinline {
  %p0 = getelementptr i8, ptr %w, i64 {CHAIN}
  %n = load i32, ptr %p0
  %room = icmp ult i32 %n, {CHAINED}
  br i1 %room, label %add, label %leave
add:
  %n1 = add i32 %n, 1
  store i32 %n1, ptr %p0
  %p1 = getelementptr i32, ptr %p0, i32 %n1
  store i32 %site, ptr %p1
  br label %leave
leave:
  ret void
}

; Whether the launch is to stop. Python is asked once in a while.
declare i64 @llvm.{CLOCK_COUNTER}()

; Whether it is time to ask Python whether to continue: the code between two polls takes nanoseconds or milliseconds.
define internal i1 @openptx.due(ptr %w) alwaysinline {
  %pp = getelementptr i8, ptr %w, i64 {POLLED}
  %before = load i64, ptr %pp
  %now = call i64 @llvm.{CLOCK_COUNTER}()
  %since = sub i64 %now, %before
  %due = icmp ugt i64 %since, {POLL_INTERVAL}
  br i1 %due, label %again, label %done
again:
  store i64 %now, ptr %pp
  br label %done
done:
  ret i1 %due
}

define internal i1 @openptx.stopped(ptr %w) noinline {
  %pp = getelementptr i8, ptr %w, i64 {POLL}
  %poll = load ptr, ptr %pp
  %stop = call i32 %poll(ptr %w)
  %wanted = icmp ne i32 %stop, 0
  br i1 %wanted, label %leave, label %stay
leave:
  %p0 = getelementptr i8, ptr %w, i64 {KIND}
  store i32 {STOPPED}, ptr %p0
  %p1 = getelementptr i8, ptr %w, i64 {LANES}
  store i32 -1, ptr %p1
  ret i1 true
stay:
  ret i1 false
}

define i1 @openptx.poll(ptr %w) #1 noinline {
  %due = call i1 @openptx.due(ptr %w)
  br i1 %due, label %ask, label %stay
ask:
  %stop = call i1 @openptx.stopped(ptr %w)
  ret i1 %stop
stay:
  ret i1 false
}

; Asks Python to do something with the words in DATA; returns whether a lane faulted, or the launch is to stop.
define i1 @openptx.ask(ptr %w, i32 %what, i32 %mask, i32 %first, i32 %count, i64 %locals) noinline {
  %p0 = getelementptr i8, ptr %w, i64 {REQUEST}
  store i32 %what, ptr %p0
  %p1 = getelementptr i8, ptr %p0, i64 4
  store i32 %mask, ptr %p1
  %p2 = getelementptr i8, ptr %p0, i64 8
  store i32 %first, ptr %p2
  %p3 = getelementptr i8, ptr %p0, i64 12
  store i32 %count, ptr %p3
  %p4 = getelementptr i8, ptr %p0, i64 16
  store i64 %locals, ptr %p4
  %pa = getelementptr i8, ptr %w, i64 {UPCALL}
  %ask = load ptr, ptr %pa
  %wrong = call i32 %ask(ptr %w)
  %failed = icmp ne i32 %wrong, 0
  br i1 %failed, label %leave, label %stay
leave:
  %p5 = getelementptr i8, ptr %w, i64 {KIND}
  store i32 {ANSWER}, ptr %p5
  ret i1 true
stay:
  ret i1 false
}

; Computes a product in tensor memory by the code that is known for its site; returns whether it did. OPERANDS has a
; lane's words COLUMN bytes apart.
define i1 @openptx.tile(ptr %w, i32 %site, i32 %mask) noinline {
  %slot = urem i32 %site, {KNOWN}
  %offset = mul i32 %slot, 16
  %all = getelementptr i8, ptr %w, i64 {TILES}
  %p = getelementptr i8, ptr %all, i32 %offset
  %site64 = zext i32 %site to i64
  %wanted = add i64 %site64, 1
  %known = load i64, ptr %p
  %here = icmp eq i64 %known, %wanted
  %popped = call i32 @llvm.ctpop.i32(i32 %mask)
  %one = icmp eq i32 %popped, 1
  %can = and i1 %here, %one
  br i1 %can, label %multiply, label %no
multiply:
  %pc = getelementptr i8, ptr %p, i64 8
  %code = load ptr, ptr %pc
  %lane = call i32 @llvm.cttz.i32(i32 %mask, i1 true)
  %operands = getelementptr i8, ptr %w, i64 {OPERANDS}
  %values = getelementptr i64, ptr %operands, i32 %lane
  %ps = getelementptr i8, ptr %w, i64 {SHARED}
  %shared = load ptr, ptr %ps
  %pn = getelementptr i8, ptr %w, i64 {SHARED_SIZE}
  %size = load i64, ptr %pn
  %pt = getelementptr i8, ptr %w, i64 {TENSOR}
  %tensor = load ptr, ptr %pt
  %made = call i32 %code(ptr %values, i64 {COLUMN}, i64 %size, ptr %shared, ptr %tensor, ptr null, ptr null)
  %done = icmp ne i32 %made, 0
  ret i1 %done
no:
  ret i1 false
}

; Continues in the generic version, which Python compiles when it is first needed.
define internal i32 @openptx.slow(ptr %w, ptr %frame, i32 %index) noinline {
entry:
  %p0 = getelementptr i8, ptr %w, i64 {GENERIC}
  %known = load ptr, ptr %p0
  %missing = icmp eq ptr %known, null
  br i1 %missing, label %make, label %go
make:
  %p1 = getelementptr i8, ptr %w, i64 {NEED}
  %need = load ptr, ptr %p1
  %failed = call i32 %need(ptr %w)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %leave, label %go
leave:
  ret i32 {FAILED}
go:
  %slow = load ptr, ptr %p0
  %p2 = getelementptr i8, ptr %w, i64 {SIDE_EXITS}
  %times = load i64, ptr %p2
  %more = add i64 %times, 1
  store i64 %more, ptr %p2
  %status = call i32 %slow(ptr %w, ptr %frame, i32 %index)
  ret i32 %status
}

; The result of a barrier's votes, by %kind: 0 how many, 1 whether all, 2 whether any.
define i32 @openptx.verdict(ptr %w, i32 %number, i32 %generation, i32 %kind) noinline {
  %offset = mul i32 %number, 32
  %all = getelementptr i8, ptr %w, i64 {BARRIERS}
  %b = getelementptr i8, ptr %all, i32 %offset
  %parity = and i32 %generation, 1
  %at = mul i32 %parity, 4
  %p5 = getelementptr i8, ptr %b, i64 16
  %p6 = getelementptr i8, ptr %p5, i32 %at
  %yes = load i32, ptr %p6
  %p7 = getelementptr i8, ptr %b, i64 24
  %p8 = getelementptr i8, ptr %p7, i32 %at
  %voters = load i32, ptr %p8
  %every = icmp eq i32 %yes, %voters
  %every32 = zext i1 %every to i32
  %any = icmp ne i32 %yes, 0
  %any32 = zext i1 %any to i32
  %first = icmp eq i32 %kind, 0
  %second = icmp eq i32 %kind, 1
  %rest = select i1 %second, i32 %every32, i32 %any32
  %r = select i1 %first, i32 %yes, i32 %rest
  ret i32 %r
}

; Records in frames and at the barrier where the other warps of a CTA are, as two numbers say it (emit/region_loops.py):
; those before %index have come to a barrier (%came, its position) or have ended (-1), those after it are where they
; resume (%region). %came is -2 if it has been recorded before.
define void @openptx.note_warps(ptr %w, i32 %index, i32 %came, i32 %number, i32 %region, i32 %before) noinline {
  %noted = icmp eq i32 %came, -2
  br i1 %noted, label %done, label %prepare
prepare:
  %p1 = getelementptr i8, ptr %w, i64 {FRAMES}
  %frames = load ptr, ptr %p1
  %p2 = getelementptr i8, ptr %w, i64 {FRAME_SIZE}
  %size = load i64, ptr %p2
  %p3 = getelementptr i8, ptr %w, i64 {WARPS}
  %warps64 = load i64, ptr %p3
  %warps = trunc i64 %warps64 to i32
  %barriers = getelementptr i8, ptr %w, i64 {BARRIERS}
  %offset = mul i32 %number, {BARRIER}
  %b = getelementptr i8, ptr %barriers, i32 %offset
  %pnow = getelementptr i8, ptr %b, i64 8
  %now = load i32, ptr %pnow
  %pcome = getelementptr i8, ptr %b, i64 12
  %offset1 = mul i32 %before, {BARRIER}
  %b1 = getelementptr i8, ptr %barriers, i32 %offset1
  %plast = getelementptr i8, ptr %b1, i64 8
  %last = load i32, ptr %plast
  %passed = sub i32 %last, 1
  %begun = icmp ne i32 %region, 0
  %waited = select i1 %begun, i32 %before, i32 -1
  %arrived = icmp sgt i32 %came, 0
  br label %each
each:
  %i = phi i32 [ 0, %prepare ], [ %i1, %next ]
  %i64 = zext i32 %i to i64
  %at = mul i64 %i64, %size
  %frame = getelementptr i8, ptr %frames, i64 %at
  %pwaits = getelementptr i8, ptr %frame, i64 {WAITS}
  %pticket = getelementptr i8, ptr %frame, i64 {GENERATION}
  %after = icmp ugt i32 %i, %index
  br i1 %after, label %later, label %earlier
later:
  store i32 %region, ptr %frame
  store i32 %waited, ptr %pwaits
  store i32 %passed, ptr %pticket
  br label %next
earlier:
  %is = icmp ult i32 %i, %index
  %waits = and i1 %is, %arrived
  br i1 %waits, label %came1, label %next
came1:
  store i32 %came, ptr %frame
  store i32 %number, ptr %pwaits
  store i32 %now, ptr %pticket
  %plive = getelementptr i8, ptr %frame, i64 {LIVE}
  %live = load i32, ptr %plive
  %lanes = call i32 @llvm.ctpop.i32(i32 %live)
  %come = load i32, ptr %pcome
  %more = add i32 %come, %lanes
  store i32 %more, ptr %pcome
  br label %next
next:
  %i1 = add i32 %i, 1
  %others = icmp ult i32 %i1, %warps
  br i1 %others, label %each, label %done
done:
  ret void
}

; [x86
; Runs CTAs with the control word of floats (MXCSR) that the code expects, and restores the caller's, which may flush
; subnormal numbers.
define i32 @openptx.run(ptr %w) #0 {
  %callers = alloca i32
  %ours = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %callers)
  store i32 {MXCSR}, ptr %ours
  call void @llvm.x86.sse.ldmxcsr(ptr %ours)
  %r = call i32 @openptx.ctas(ptr %w)
  call void @llvm.x86.sse.ldmxcsr(ptr %callers)
  ret i32 %r
}
; x86]
; [other
define i32 @openptx.run(ptr %w) #0 {
  %r = tail call i32 @openptx.ctas(ptr %w)
  ret i32 %r
}
; other]

; Runs CTAs until there are no more. Returns 0: no more; 1: a fault is recorded; 2: threads wait forever; 3: the
; reference engine has to continue the CTA.
define internal i32 @openptx.ctas(ptr %w) #0 "no-jump-tables"="true" {
entry:
  %pkernel = getelementptr i8, ptr %w, i64 {KERNEL}
  %kernel = load ptr, ptr %pkernel
  %p0 = getelementptr i8, ptr %w, i64 {GRID}
  %grid = load ptr, ptr %p0
  %pstop = getelementptr i8, ptr %grid, i64 {STOP}
  %pctas = getelementptr i8, ptr %grid, i64 {CTAS}
  %pchunk = getelementptr i8, ptr %grid, i64 {CHUNK}
  %plinear = getelementptr i8, ptr %w, i64 {LINEAR}
  %ctas = load i64, ptr %pctas
  %chunk = load i64, ptr %pchunk
  %px = getelementptr i8, ptr %w, i64 {NCTAID}
  %gx = load i32, ptr %px
  %py = getelementptr i8, ptr %px, i64 4
  %gy = load i32, ptr %py
  %pc = getelementptr i8, ptr %w, i64 {CTAID}
  %pcy = getelementptr i8, ptr %pc, i64 4
  %pcz = getelementptr i8, ptr %pc, i64 8
  %p1 = getelementptr i8, ptr %w, i64 {SHARED}
  %shared = load ptr, ptr %p1
  %p2 = getelementptr i8, ptr %w, i64 {SHARED_SIZE}
  %sharedsize = load i64, ptr %p2
  %p9 = getelementptr i8, ptr %w, i64 {CLEAR_FROM}
  %clearfrom = load i64, ptr %p9
  %p10 = getelementptr i8, ptr %w, i64 {CLEAR_SIZE}
  %clearsize = load i64, ptr %p10
  %cleared = getelementptr i8, ptr %shared, i64 %clearfrom
  %ptensor = getelementptr i8, ptr %w, i64 {TENSOR}
  %tensor = load ptr, ptr %ptensor
  %hastensor = icmp ne ptr %tensor, null
  %p3 = getelementptr i8, ptr %w, i64 {LOCAL}
  %local = load ptr, ptr %p3
  %p4 = getelementptr i8, ptr %w, i64 {STRIDE}
  %stride = load i64, ptr %p4
  %p5 = getelementptr i8, ptr %w, i64 {THREADS}
  %threads = load i64, ptr %p5
  %localsize = mul i64 %stride, %threads
  %p6 = getelementptr i8, ptr %w, i64 {WARPS}
  %warps64 = load i64, ptr %p6
  %warps = trunc i64 %warps64 to i32
  %p7 = getelementptr i8, ptr %w, i64 {FRAMES}
  %frames = load ptr, ptr %p7
  %p8 = getelementptr i8, ptr %w, i64 {FRAME_SIZE}
  %framesize = load i64, ptr %p8
  %palive = getelementptr i8, ptr %w, i64 {ALIVE}
  %pwarp = getelementptr i8, ptr %w, i64 {WARP}
  %barriers = getelementptr i8, ptr %w, i64 {BARRIERS}
  %here = alloca i64
  %here64 = ptrtoint ptr %here to i64
  %pbudget = getelementptr i8, ptr %w, i64 {BUDGET}
  %budget = load i64, ptr %pbudget
  %bottom = sub i64 %here64, %budget
  %pstack = getelementptr i8, ptr %w, i64 {STACK}
  store i64 %bottom, ptr %pstack
  %pclear = getelementptr i8, ptr %w, i64 {CLEAR_LOCAL}
  %clearlocalsize = load i64, ptr %pclear
  %wholelocal = icmp eq i64 %clearlocalsize, %stride
  %pband = getelementptr i8, ptr %w, i64 {BAND}
  %band = load i64, ptr %pband
  %band32 = trunc i64 %band to i32
  %gx64 = zext i32 %gx to i64
  %gy64 = zext i32 %gy to i64
  %perband = mul i64 %band, %gy64
  %perplane = mul i64 %gx64, %gy64
  %hasshared = icmp ne i64 %clearsize, 0
  %haslocal = icmp ne i64 %localsize, 0
  %muchlocal = icmp ugt i64 %localsize, 1048576
  %pfrom = getelementptr i8, ptr %w, i64 {FROM}
  %pinrow = getelementptr i8, ptr %w, i64 {IN_ROW}
  %puntil = getelementptr i8, ptr %w, i64 {UNTIL}
  %begun = call i64 @llvm.{CLOCK_COUNTER}()
  %ppolled = getelementptr i8, ptr %w, i64 {POLLED}
  store i64 %begun, ptr %ppolled
  br label %take
take:
  %calls0 = phi i32 [ 0, %entry ], [ %calls1, %ended ]
  %first = atomicrmw add ptr %grid, i64 %chunk monotonic
  %untaken = icmp ult i64 %first, %ctas
  br i1 %untaken, label %some, label %finished
finished:
  ret i32 0
some:
  %behind = add i64 %first, %chunk
  %fewer = icmp ult i64 %behind, %ctas
  %end = select i1 %fewer, i64 %behind, i64 %ctas
  store i64 %first, ptr %pfrom
  store i64 %end, ptr %puntil
  %z64 = udiv i64 %first, %perplane
  %inplane = urem i64 %first, %perplane
  %bandnumber = udiv i64 %inplane, %perband
  %inband = urem i64 %inplane, %perband
  %bandleft = mul i64 %bandnumber, %band
  %y64 = udiv i64 %inband, %band
  %column = urem i64 %inband, %band
  %x64 = add i64 %bandleft, %column
  %x0 = trunc i64 %x64 to i32
  %y0 = trunc i64 %y64 to i32
  %z0 = trunc i64 %z64 to i32
  %edge0 = trunc i64 %bandleft to i32
  br label %cta
cta:
  %i = phi i64 [ %first, %some ], [ %i1, %ended ]
  %calls = phi i32 [ %calls0, %some ], [ %calls1, %ended ]
  %x = phi i32 [ %x0, %some ], [ %x1, %ended ]
  %y = phi i32 [ %y0, %some ], [ %y1, %ended ]
  %z = phi i32 [ %z0, %some ], [ %z1, %ended ]
  %edge = phi i32 [ %edge0, %some ], [ %edge1, %ended ]
  %stopped = load volatile i32, ptr %pstop
  %stop = icmp ne i32 %stopped, 0
  br i1 %stop, label %finished, label %begin
begin:
  %calls1 = add i32 %calls, 1
  %fourth = and i32 %calls1, 3
  %isfourth = icmp eq i32 %fourth, 0
  %check = or i1 %isfourth, %muchlocal
  br i1 %check, label %checking, label %place
checking:
  %due = call i1 @openptx.due(ptr %w)
  br i1 %due, label %asking, label %place
asking:
  %no = call i1 @openptx.stopped(ptr %w)
  br i1 %no, label %failed, label %place
place:
  store i64 %i, ptr %plinear
  store i32 %x, ptr %pc
  store i32 %y, ptr %pcy
  store i32 %z, ptr %pcz
  br i1 %hastensor, label %cleartensor, label %clearshared
cleartensor:
  call void @llvm.memset.p0.i64(ptr %tensor, i8 0, i64 {TENSOR_HEAD}, i1 false)
  br label %clearshared
clearshared:
  br i1 %hasshared, label %clear, label %clearlocal0
clear:
  call void @llvm.memset.p0.i64(ptr %cleared, i8 0, i64 %clearsize, i1 false)
  br label %clearlocal0
clearlocal0:
  br i1 %haslocal, label %clearlocal, label %run
clearlocal:
  br i1 %wholelocal, label %clearwhole, label %clearthread
clearthread:
  %ct = phi i64 [ 0, %clearlocal ], [ %ct1, %clearthread ]
  %cat = mul i64 %ct, %stride
  %cframe = getelementptr i8, ptr %local, i64 %cat
  call void @llvm.memset.p0.i64(ptr %cframe, i8 0, i64 %clearlocalsize, i1 false)
  %ct1 = add i64 %ct, 1
  %cmore = icmp ult i64 %ct1, %threads
  br i1 %cmore, label %clearthread, label %run
clearwhole:
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %localsize, i1 false)
  br label %run
run:
  br label %{ONCE_OR_ROUNDS}

; [once
once:
  ; The kernel itself continues along the row, up to a CTA before which something else must be done.
  %edgeright = add i32 %edge, %band32
  %inrow = sub i32 %edgeright, %x
  %inrow64 = zext i32 %inrow to i64
  %ofchunk = sub i64 %end, %i
  %fewer1 = call i64 @llvm.umin.i64(i64 %inrow64, i64 %ofchunk)
  %clearsmemory = or i1 %hasshared, %haslocal
  %clears = or i1 %clearsmemory, %hastensor
  %alike64 = select i1 %clears, i64 1, i64 %fewer1
  %alike = trunc i64 %alike64 to i32
  store i32 %alike, ptr %pinrow
  br label %warp
warp:
  %k = phi i32 [ 0, %once ], [ %k1, %onceon ]
  %status0 = call i32 %kernel(ptr %w, ptr %frames, i32 %k)
  switch i32 %status0, label %failed [ i32 {DONE}, label %ended i32 {SIDE_EXIT}, label %onceslow ]
onceslow:
  %left0 = load i32, ptr %pwarp
  %status1 = call i32 @openptx.slow(ptr %w, ptr %frames, i32 %left0)
  %fine = icmp eq i32 %status1, {DONE}
  br i1 %fine, label %onceon, label %failed
onceon:
  %k1 = add i32 %left0, 1
  %morewarps = icmp ult i32 %k1, %warps
  br i1 %morewarps, label %warp, label %ended
; once]

; [rounds
rounds:
  store i64 %threads, ptr %palive
  call void @llvm.memset.p0.i64(ptr %barriers, i8 0, i64 512, i1 false)
  ; The head of a warp's frame, from RESUME to LIVE_BEFORE, is one store.
  %wholewarps = lshr i64 %threads, 5
  %lastthreads = and i64 %threads, 31
  %lastframe = mul i64 %wholewarps, %framesize
  %haslast = icmp ne i64 %lastthreads, 0
  br i1 %haslast, label %resetlast, label %resetwhole
resetlast:
  %lastbit = shl i64 1, %lastthreads
  %lastlanes64 = add i64 %lastbit, -1
  %lastlanes = trunc i64 %lastlanes64 to i32
  %lastthreads32 = trunc i64 %lastthreads to i32
  %head0 = insertelement <8 x i32> <i32 0, i32 0, i32 -1, i32 0, i32 0, i32 0, i32 0, i32 0>, i32 %lastlanes, i32 4
  %head = insertelement <8 x i32> %head0, i32 %lastthreads32, i32 5
  %plast = getelementptr i8, ptr %frames, i64 %lastframe
  store <8 x i32> %head, ptr %plast, align 4
  br label %resetwhole
resetwhole:
  %haswhole = icmp ne i64 %wholewarps, 0
  br i1 %haswhole, label %reset, label %round
reset:
  %at = phi i64 [ 0, %resetwhole ], [ %at1, %reset ]
  %frame0 = getelementptr i8, ptr %frames, i64 %at
  store <8 x i32> <i32 0, i32 0, i32 -1, i32 0, i32 -1, i32 32, i32 0, i32 0>, ptr %frame0, align 4
  %at1 = add i64 %at, %framesize
  %morereset = icmp ult i64 %at1, %lastframe
  br i1 %morereset, label %reset, label %round
round:
  %turn = phi i32 [ 0, %resetwhole ], [ 0, %reset ], [ %turn1, %roundend ]
  %turn1 = add i32 %turn, 1
  %turns = and i32 %turn1, 7
  %tired = icmp eq i32 %turns, 0
  br i1 %tired, label %checking2, label %round1
checking2:
  %due2 = call i1 @openptx.due(ptr %w)
  br i1 %due2, label %asking2, label %round1
asking2:
  %no2 = call i1 @openptx.stopped(ptr %w)
  br i1 %no2, label %failed, label %round1
round1:
  br label %each
each:
  %n = phi i32 [ 0, %round1 ], [ %n1, %eachon ]
  %moved = phi i1 [ false, %round1 ], [ %moved1, %eachon ]
  %living = phi i1 [ false, %round1 ], [ %living1, %eachon ]
  %n64 = zext i32 %n to i64
  %fat = mul i64 %n64, %framesize
  %frame = getelementptr i8, ptr %frames, i64 %fat
  %state = load i32, ptr %frame
  %gone = icmp eq i32 %state, -1
  br i1 %gone, label %eachon0, label %waits
waits:
  %fw = getelementptr i8, ptr %frame, i64 {WAITS}
  %waiting = load i32, ptr %fw
  %free = icmp slt i32 %waiting, 0
  br i1 %free, label %go, label %see
see:
  %boffset = mul i32 %waiting, 32
  %b = getelementptr i8, ptr %barriers, i32 %boffset
  %pgeneration = getelementptr i8, ptr %b, i64 8
  %generation = load i32, ptr %pgeneration
  %fg = getelementptr i8, ptr %frame, i64 {GENERATION}
  %ticket = load i32, ptr %fg
  %still = icmp eq i32 %generation, %ticket
  br i1 %still, label %eachon1, label %go
go:
  %pversion = getelementptr i8, ptr %frame, i64 {VERSION}
  %version = load i32, ptr %pversion
  %slowly = icmp ne i32 %version, 0
  br i1 %slowly, label %goslow, label %gofast
gofast:
  %status3 = call i32 %kernel(ptr %w, ptr %frames, i32 %n)
  %n3 = load i32, ptr %pwarp
  %n364 = zext i32 %n3 to i64
  %fat3 = mul i64 %n364, %framesize
  %frame3 = getelementptr i8, ptr %frames, i64 %fat3
  %leaves1 = icmp eq i32 %status3, {SIDE_EXIT}
  br i1 %leaves1, label %goslow, label %went
goslow:
  %ns = phi i32 [ %n, %go ], [ %n3, %gofast ]
  %frames4 = phi ptr [ %frame, %go ], [ %frame3, %gofast ]
  %status4 = call i32 @openptx.slow(ptr %w, ptr %frames4, i32 %ns)
  br label %went
went:
  %status2 = phi i32 [ %status3, %gofast ], [ %status4, %goslow ]
  %nw = phi i32 [ %n3, %gofast ], [ %ns, %goslow ]
  %framew = phi ptr [ %frame3, %gofast ], [ %frames4, %goslow ]
  %fh = getelementptr i8, ptr %framew, i64 {LIVE_BEFORE}
  %before = load i32, ptr %fh
  switch i32 %status2, label %roundfailed [ i32 {DONE}, label %warpdone i32 {SUSPENDED}, label %warpwaits i32 {DEOPTIMIZED}, label %away i32 {HANDLED}, label %eachon2 ]
away:
  store volatile i32 1, ptr %pstop
  ret i32 3
roundfailed:
  store i32 %nw, ptr %pwarp
  br label %failed
warpdone:
  store i32 -1, ptr %framew
  br label %account
warpwaits:
  %flive = getelementptr i8, ptr %framew, i64 {LIVE}
  %live = load i32, ptr %flive
  %alivehere = call i32 @llvm.ctpop.i32(i32 %live)
  br label %account
account:
  %now = phi i32 [ 0, %warpdone ], [ %alivehere, %warpwaits ]
  %lost = sub i32 %before, %now
  store i32 %now, ptr %fh
  %someleft = icmp ne i32 %lost, 0
  br i1 %someleft, label %fewer1, label %eachon2
fewer1:
  %alive0 = load i64, ptr %palive
  %lost64 = zext i32 %lost to i64
  %alive1 = sub i64 %alive0, %lost64
  store i64 %alive1, ptr %palive
  br label %settle
settle:
  %q = phi i32 [ 0, %fewer1 ], [ %q1, %settle ]
  call void @openptx.settle(ptr %w, i32 %q)
  %q1 = add i32 %q, 1
  %moresettle = icmp ult i32 %q1, 16
  br i1 %moresettle, label %settle, label %eachon2
eachon0:
  br label %eachon
eachon1:
  br label %eachon
eachon2:
  br label %eachon
eachon:
  %n0 = phi i32 [ %n, %eachon0 ], [ %n, %eachon1 ], [ %nw, %eachon2 ]
  %moved1 = phi i1 [ %moved, %eachon0 ], [ %moved, %eachon1 ], [ true, %eachon2 ]
  %living1 = phi i1 [ %living, %eachon0 ], [ true, %eachon1 ], [ true, %eachon2 ]
  %n1 = add i32 %n0, 1
  %moreeach = icmp ult i32 %n1, %warps
  br i1 %moreeach, label %each, label %roundend
roundend:
  br i1 %moved1, label %round, label %stuck
stuck:
  br i1 %living1, label %deadlock, label %ended
deadlock:
  %pkind = getelementptr i8, ptr %w, i64 {KIND}
  store i32 {DEADLOCK}, ptr %pkind
  store volatile i32 1, ptr %pstop
  ret i32 2
; rounds]

ended:
  %last = load i64, ptr %plinear
  %lastx = load i32, ptr %pc
  %i1 = add i64 %last, 1
  store i64 %i1, ptr %pfrom
  ; The next place: along the band's row, then down the band, then the next band, then the next plane.
  %right = add i32 %edge, %band32
  %beside = add i32 %lastx, 1
  %rowdone = icmp uge i32 %beside, %right
  %below = add i32 %y, 1
  %lastrow = icmp uge i32 %below, %gy
  %banddone = and i1 %rowdone, %lastrow
  %lastband = icmp uge i32 %right, %gx
  %planedone = and i1 %banddone, %lastband
  %following = select i1 %lastband, i32 0, i32 %right
  %edge1 = select i1 %banddone, i32 %following, i32 %edge
  %x1 = select i1 %rowdone, i32 %edge1, i32 %beside
  %firstrow = select i1 %lastrow, i32 0, i32 %below
  %y1 = select i1 %rowdone, i32 %firstrow, i32 %y
  %behindplane = zext i1 %planedone to i32
  %z1 = add i32 %z, %behindplane
  %more = icmp ult i64 %i1, %end
  br i1 %more, label %cta, label %take
failed:
  store volatile i32 1, ptr %pstop
  ret i32 1
}
