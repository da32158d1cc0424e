; Which bytes of memory have been written: beside events.ll. A byte of definedness is 255 where its byte has been, else 0.
; Slots of the address space are {braces} as well.

; A CTA begins: nobody has written its shared and local memory.
define internal void @undefine(ptr %s) alwaysinline {
  %ps = getelementptr i8, ptr %s, i64 {DEFINED_SHARED}
  %shared = load ptr, ptr %ps
  %pr = getelementptr i8, ptr %s, i64 {RESERVED}
  %reserved = load i64, ptr %pr
  %own = getelementptr i8, ptr %shared, i64 %reserved
  %pb = getelementptr i8, ptr %s, i64 {SHARED_BYTES}
  %bytes = load i64, ptr %pb
  call void @llvm.memset.p0.i64(ptr %own, i8 0, i64 %bytes, i1 false)
  %pl = getelementptr i8, ptr %s, i64 {DEFINED_LOCAL}
  %local = load ptr, ptr %pl
  %pn = getelementptr i8, ptr %s, i64 {LOCAL_BYTES}
  %size = load i64, ptr %pn
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %size, i1 false)
  ret void
}

; Where the bytes of definedness of a lane's address are; 0 where all is defined.
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
  %pl = getelementptr i8, ptr %s, i64 {DEFINED_LOCAL}
  %begin = load i64, ptr %pl
  %here = add i64 %begin, %place
  ret i64 %here
other:
  %is.shared = icmp eq i64 %slot, {SHARED_SLOT}
  br i1 %is.shared, label %shared, label %global
shared:
  %own = and i64 %address, {OWN}
  %ps = getelementptr i8, ptr %s, i64 {DEFINED_SHARED}
  %all = load i64, ptr %ps
  %mine = add i64 %all, %own
  ret i64 %mine
global:
  %pd = getelementptr i8, ptr %s, i64 {DEFINED}
  %table = load ptr, ptr %pd
  %row = getelementptr i64, ptr %table, i64 %slot
  %distance = load i64, ptr %row
  %there = add i64 %address, %distance
  %none = icmp eq i64 %distance, 0
  %found = select i1 %none, i64 0, i64 %there
  ret i64 %found
}

; Where the bytes of all lanes are, one row of %size bytes a lane, if they are; 0: all is defined; 1: anything else.
define internal i64 @row_of(ptr %s, i64 %mask, i64 %size, i64 %lane) {
  %pa = getelementptr i8, ptr %s, i64 {LANES}
  %a = load <32 x i64>, ptr %pa, align 8
  %slots = lshr <32 x i64> %a, splat (i64 {SHIFT})
  %leader = extractelement <32 x i64> %a, i64 %lane
  %slot = lshr i64 %leader, {SHIFT}
  %one = insertelement <32 x i64> poison, i64 %slot, i32 0
  %every = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  %apart = icmp ne <32 x i64> %slots, %every
  %word = bitcast <32 x i1> %apart to i32
  %lanes = trunc i64 %mask to i32
  %elsewhere = and i32 %word, %lanes
  %several = icmp ne i32 %elsewhere, 0
  %is.local = icmp eq i64 %slot, {LOCAL_SLOT}
  %no = or i1 %several, %is.local
  br i1 %no, label %other, label %together
together:
  %begin = call i64 @bytes_of(ptr %s, i64 %leader, i64 %lane)
  %defined = icmp eq i64 %begin, 0
  br i1 %defined, label %none, label %look
none:
  ret i64 0
look:
  %size.one = insertelement <32 x i64> poison, i64 %size, i32 0
  %size.all = shufflevector <32 x i64> %size.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %steps = mul <32 x i64> %size.all, <{STEPS}>
  %leader.one = insertelement <32 x i64> poison, i64 %leader, i32 0
  %leader.all = shufflevector <32 x i64> %leader.one, <32 x i64> poison, <32 x i32> zeroinitializer
  %wanted = add <32 x i64> %leader.all, %steps
  %wrong = icmp ne <32 x i64> %a, %wanted
  %wrong.word = bitcast <32 x i1> %wrong to i32
  %right = icmp eq i32 %wrong.word, 0
  %full = icmp eq i64 %mask, 4294967295
  %row = and i1 %right, %full
  br i1 %row, label %found, label %other
found:
  ret i64 %begin
other:
  ret i64 1
}

; Whether the bytes of %size from a place on have all been written.
define internal i1 @are_defined(ptr %place, i64 %size) {
entry:
  %small = icmp ult i64 %size, 4
  br i1 %small, label %bytes, label %words
bytes:
  %i = phi i64 [ 0, %entry ], [ %i1, %bytes.more ]
  %p = getelementptr i8, ptr %place, i64 %i
  %byte = load i8, ptr %p
  %good = icmp eq i8 %byte, -1
  br i1 %good, label %bytes.more, label %no
bytes.more:
  %i1 = add i64 %i, 1
  %end = icmp eq i64 %i1, %size
  br i1 %end, label %yes, label %bytes
words:
  %j = phi i64 [ 0, %entry ], [ %j4, %words.more ]
  %q = getelementptr i8, ptr %place, i64 %j
  %w = load i32, ptr %q, align 1
  %fine = icmp eq i32 %w, -1
  br i1 %fine, label %words.more, label %no
words.more:
  %j4 = add i64 %j, 4
  %last = icmp uge i64 %j4, %size
  br i1 %last, label %yes, label %words
yes:
  ret i1 true
no:
  ret i1 false
}

; Lanes have loaded %size bytes each from the addresses in the watch block.
define void @watch.loaded(ptr %s, i64 %mask, i64 %size, i64 %site) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %some
some:
  %leader = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %row = call i64 @row_of(ptr %s, i64 %mask, i64 %size, i64 %leader)
  switch i64 %row, label %rows [ i64 0, label %done
                                 i64 1, label %lanes ]
rows:
  %place = inttoptr i64 %row to ptr
  br label %chunk
chunk:
  %k = phi i64 [ 0, %rows ], [ %k1, %chunk.more ]
  %from = shl i64 %k, 5
  %pc = getelementptr i8, ptr %place, i64 %from
  %v = load <32 x i8>, ptr %pc, align 1
  %odd = icmp ne <32 x i8> %v, splat (i8 -1)
  %odds = bitcast <32 x i1> %odd to i32
  %clean = icmp eq i32 %odds, 0
  br i1 %clean, label %chunk.more, label %tell
chunk.more:
  %k1 = add i64 %k, 1
  %end = icmp eq i64 %k1, %size
  br i1 %end, label %done, label %chunk
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

; They have stored so many.
define void @watch.stored(ptr %s, i64 %mask, i64 %size) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %some
some:
  %leader = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %row = call i64 @row_of(ptr %s, i64 %mask, i64 %size, i64 %leader)
  switch i64 %row, label %rows [ i64 0, label %done
                                 i64 1, label %lanes ]
rows:
  %place = inttoptr i64 %row to ptr
  %all = shl i64 %size, 5
  call void @llvm.memset.p0.i64(ptr %place, i8 -1, i64 %all, i1 false)
  br label %done
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
  br i1 %none, label %each.more, label %mark
mark:
  %at = inttoptr i64 %bytes to ptr
  call void @llvm.memset.p0.i64(ptr %at, i8 -1, i64 %size, i1 false)
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
  %pl = getelementptr i8, ptr %s, i64 {DEFINED_LOCAL}
  %begin = load ptr, ptr %pl
  %here = getelementptr i8, ptr %begin, i64 %place
  ret ptr %here
}

; Lanes begin an activation: nobody has written its frame.
define void @watch.undefines(ptr %s, i64 %mask, i64 %base, i64 %size) noinline nounwind #0 {
entry:
  %empty = icmp eq i64 %mask, 0
  br i1 %empty, label %done, label %each
each:
  %rest = phi i64 [ %mask, %entry ], [ %less, %each ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %bytes = call ptr @local_bytes(ptr %s, i64 %lane, i64 %base)
  call void @llvm.memset.p0.i64(ptr %bytes, i8 0, i64 %size, i1 false)
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
