; What counting code calls. %c is the worker's counts; numbers in {braces} are of layout.py.

; The offsets of an entry's lanes, from the first request of its own.
define internal void @fill(ptr %entry, <32 x i64> %offsets, i64 %base, i64 %residue) alwaysinline {
  store <32 x i64> %offsets, ptr %entry, align 64
  %pb = getelementptr i8, ptr %entry, i64 {BASE}
  store i64 %base, ptr %pb
  call void @note(ptr %entry, i64 %base, i64 %residue)
  ret void
}

define internal void @note(ptr %entry, i64 %base, i64 %residue) alwaysinline {
  %pn = getelementptr i8, ptr %entry, i64 {BASES}
  %pr = getelementptr i64, ptr %pn, i64 %residue
  store i64 %base, ptr %pr
  ret void
}

define internal <32 x i64> @splat(i64 %a) alwaysinline {
  %one = insertelement <32 x i64> poison, i64 %a, i32 0
  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
  ret <32 x i64> %all
}

; The first request of a whole warp from a base with this residue, at offsets that code knows.
define void @count.first(ptr %c, i64 %entries, i64 %masks, i64 %base, i64 %residue) noinline cold #0 {
  %lanes = getelementptr i8, ptr %c, i64 {LANES}
  %all = load <32 x i64>, ptr %lanes, align 64
  %bases = call <32 x i64> @splat(i64 %base)
  %offsets = sub <32 x i64> %all, %bases
  %pm = getelementptr i8, ptr %c, i64 %masks
  store i64 4294967295, ptr %pm
  %entry = getelementptr i8, ptr %c, i64 %entries
  call void @fill(ptr %entry, <32 x i64> %offsets, i64 %base, i64 %residue)
  ret void
}

; A request of the lanes in %mask at the addresses in LANES. %window: a base's bits from here on say which memory it
; leads to, up to {FIRST}.
define void @count.request(ptr %c, i64 %entries, i64 %masks, i64 %site, i64 %mask, i64 %modulus, i64 %window) noinline #0 {
entry:
  %lanes = getelementptr i8, ptr %c, i64 {LANES}
  %all = load <32 x i64>, ptr %lanes, align 64
  %m32 = trunc i64 %mask to i32
  %here = bitcast i32 %m32 to <32 x i1>
  %first = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %pf = getelementptr i64, ptr %lanes, i64 %first
  %base = load i64, ptr %pf
  %bases = call <32 x i64> @splat(i64 %base)
  %filled = select <32 x i1> %here, <32 x i64> %all, <32 x i64> %bases
  %offsets = sub <32 x i64> %filled, %bases
  %zeros = call i64 @llvm.ctlz.i64(i64 %mask, i1 true)
  %last = sub i64 63, %zeros
  %pl = getelementptr i64, ptr %lanes, i64 %last
  %end = load i64, ptr %pl
  %span = sub i64 %end, %base
  %mixed = call i64 @llvm.vector.reduce.xor.v32i64(<32 x i64> %offsets)
  %h0 = mul i64 %span, -7046029254386353131
  %h1 = mul i64 %mask, -4417276706812531889
  %h2 = xor i64 %h0, %h1
  %h3 = xor i64 %h2, %mixed
  %h4 = mul i64 %h3, -7046029254386353131
  %h5 = lshr i64 %h4, 61
  %less = sub i64 %modulus, 1
  %residue = and i64 %base, %less
  br label %try
try:
  %turn = phi i64 [ 0, %entry ], [ 1, %miss ]
  %way = xor i64 %h5, %turn
  %number = add i64 %way, 1
  %atmask = getelementptr i8, ptr %c, i64 %masks
  %pm = getelementptr i64, ptr %atmask, i64 %number
  %known = load i64, ptr %pm
  %distance = mul i64 %number, {ENTRY}
  %place = add i64 %entries, %distance
  %entryp = getelementptr i8, ptr %c, i64 %place
  %same = icmp eq i64 %known, %mask
  br i1 %same, label %compare, label %other
compare:
  %old = load <32 x i64>, ptr %entryp, align 64
  %differs = icmp ne <32 x i64> %old, %offsets
  %bits = bitcast <32 x i1> %differs to i32
  %alike = icmp eq i32 %bits, 0
  br i1 %alike, label %windows, label %miss
windows:
  %pk = getelementptr i8, ptr %entryp, i64 {BASE}
  %kept = load i64, ptr %pk
  %there0 = lshr i64 %kept, %window
  %there = call i64 @llvm.umin.i64(i64 %there0, i64 {FIRST})
  %at0 = lshr i64 %base, %window
  %at = call i64 @llvm.umin.i64(i64 %at0, i64 {FIRST})
  %inside = icmp eq i64 %there, %at
  br i1 %inside, label %hit, label %miss
hit:
  %ph = getelementptr i8, ptr %entryp, i64 {HISTOGRAM}
  %pr = getelementptr i64, ptr %ph, i64 %residue
  %before = load i64, ptr %pr
  %after = add i64 %before, 1
  store i64 %after, ptr %pr
  %new = icmp eq i64 %before, 0
  br i1 %new, label %noted, label %done
noted:
  call void @note(ptr %entryp, i64 %base, i64 %residue)
  br label %done
other:
  %empty = icmp eq i64 %known, 0
  br i1 %empty, label %check, label %miss
check:  ; all lanes lead to one memory
  %apart0 = xor <32 x i64> %filled, %bases
  %shifts = call <32 x i64> @splat(i64 %window)
  %apart1 = lshr <32 x i64> %apart0, %shifts
  %apart = call i64 @llvm.vector.reduce.or.v32i64(<32 x i64> %apart1)
  %one = icmp eq i64 %apart, 0
  br i1 %one, label %begin, label %record
begin:
  store i64 %mask, ptr %pm
  %pb = getelementptr i8, ptr %entryp, i64 {HISTOGRAM}
  %pbr = getelementptr i64, ptr %pb, i64 %residue
  store i64 1, ptr %pbr
  call void @fill(ptr %entryp, <32 x i64> %offsets, i64 %base, i64 %residue)
  br label %done
miss:
  %again = icmp eq i64 %turn, 0
  br i1 %again, label %try, label %record
record:
  store <32 x i64> %filled, ptr %lanes, align 64
  call void @count.log(ptr %c, i64 %site, i64 %mask)
  br label %done
done:
  ret void
}

; A request of the lanes in %mask at the addresses in LANES goes to the log. %site has above its lower 32 bits how many
; requests of one execution came before it.
define void @count.log(ptr %c, i64 %site, i64 %mask) noinline #0 {
entry:
  %pl = getelementptr i8, ptr %c, i64 {LOG}
  %pe = getelementptr i8, ptr %c, i64 {LOG_END}
  %end = load i64, ptr %pe
  %next = load i64, ptr %pl
  %later = icmp uge i64 %site, 4294967296
  %room = sub i64 %end, %next
  %enough = icmp uge i64 %room, {RESERVE}
  %go = or i1 %later, %enough
  br i1 %go, label %write, label %full
full:
  %pw = getelementptr i8, ptr %c, i64 {WORKER}
  %w = load ptr, ptr %pw
  %pr = getelementptr i8, ptr %w, i64 {REQUEST}
  store i32 {FLUSH}, ptr %pr
  %pu = getelementptr i8, ptr %w, i64 {UPCALL}
  %ask = load ptr, ptr %pu
  %ignored = call i32 %ask(ptr %w)  ; an interrupt may have come before anybody looked at the log
  %pb = getelementptr i8, ptr %c, i64 {LOG_BEGIN}
  %begin = load ptr, ptr %pb
  store ptr %begin, ptr %pl
  br label %write
write:
  %to = load ptr, ptr %pl
  store i64 %site, ptr %to
  %pm = getelementptr i8, ptr %to, i64 8
  store i64 %mask, ptr %pm
  %lanes = getelementptr i8, ptr %c, i64 {LANES}
  %all = load <32 x i64>, ptr %lanes, align 64
  %first = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %pf = getelementptr i64, ptr %lanes, i64 %first
  %base = load i64, ptr %pf
  %bases = call <32 x i64> @splat(i64 %base)
  %m32 = trunc i64 %mask to i32
  %here = bitcast i32 %m32 to <32 x i1>
  %filled = select <32 x i1> %here, <32 x i64> %all, <32 x i64> %bases
  %pa = getelementptr i8, ptr %to, i64 16
  store <32 x i64> %filled, ptr %pa, align 8
  %after = getelementptr i8, ptr %to, i64 {RECORD}
  store ptr %after, ptr %pl
  ret void
}

; The running warp arrives at a barrier: a statement at %place in the text, whose counter is at %counter.
define void @count.arrives(ptr %c, i64 %number, i64 %generation, i64 %cta, i64 %place, i64 %counter) noinline {
entry:
  %record = call ptr @barrier(ptr %c, i64 %number, i64 %generation)
  %high = shl i64 %cta, 32
  %low = add i64 %generation, 1
  %key = or i64 %high, %low
  %pk = getelementptr i8, ptr %record, i64 {KEY}
  %known = load i64, ptr %pk
  %pn = getelementptr i8, ptr %record, i64 {ARRIVED}
  %pm = getelementptr i8, ptr %record, i64 {LATEST}
  %ps = getelementptr i8, ptr %record, i64 {SUM}
  %pp = getelementptr i8, ptr %record, i64 {PLACE}
  %same = icmp eq i64 %known, %key
  br i1 %same, label %add, label %new
new:
  call void @settle(ptr %c, ptr %record)
  store i64 %key, ptr %pk
  store i64 0, ptr %pn
  store i64 0, ptr %pm
  store i64 0, ptr %ps
  store i64 -1, ptr %pp
  br label %add
add:
  %pc = getelementptr i8, ptr %c, i64 {CLOCK}
  %clock = load i64, ptr %pc
  %n0 = load i64, ptr %pn
  %n = add i64 %n0, 1
  store i64 %n, ptr %pn
  %m0 = load i64, ptr %pm
  %m = call i64 @llvm.umax.i64(i64 %m0, i64 %clock)
  store i64 %m, ptr %pm
  %s0 = load i64, ptr %ps
  %s = add i64 %s0, %clock
  store i64 %s, ptr %ps
  %p0 = load i64, ptr %pp
  %further = icmp sgt i64 %place, %p0
  br i1 %further, label %move, label %done
move:
  store i64 %place, ptr %pp
  %pw = getelementptr i8, ptr %record, i64 {WAITED}
  store i64 %counter, ptr %pw
  br label %done
done:
  ret void
}

define internal ptr @barrier(ptr %c, i64 %number, i64 %generation) alwaysinline {
  %parity = and i64 %generation, 1
  %twice = shl i64 %number, 1
  %which = or i64 %twice, %parity
  %distance = mul i64 %which, {BARRIER}
  %first = getelementptr i8, ptr %c, i64 {BARRIERS}
  %record = getelementptr i8, ptr %first, i64 %distance
  ret ptr %record
}

; What the warps waited that arrived in a record's generation is added to its statement's counter.
define internal void @settle(ptr %c, ptr %record) {
  %pn = getelementptr i8, ptr %record, i64 {ARRIVED}
  %n = load i64, ptr %pn
  %some = icmp ne i64 %n, 0
  br i1 %some, label %add, label %done
add:
  %pm = getelementptr i8, ptr %record, i64 {LATEST}
  %m = load i64, ptr %pm
  %ps = getelementptr i8, ptr %record, i64 {SUM}
  %s = load i64, ptr %ps
  %all = mul i64 %n, %m
  %waited = sub i64 %all, %s
  %pw = getelementptr i8, ptr %record, i64 {WAITED}
  %counter = load i64, ptr %pw
  %place = getelementptr i8, ptr %c, i64 %counter
  %before = load i64, ptr %place
  %after = add i64 %before, %waited
  store i64 %after, ptr %place
  store i64 0, ptr %pn
  br label %done
done:
  ret void
}

; The running warp goes on after a barrier.
define void @count.resumes(ptr %c, i64 %number, i64 %generation) noinline {
  %record = call ptr @barrier(ptr %c, i64 %number, i64 %generation)
  %pm = getelementptr i8, ptr %record, i64 {LATEST}
  %m = load i64, ptr %pm
  %pc = getelementptr i8, ptr %c, i64 {CLOCK}
  store i64 %m, ptr %pc
  ret void
}

declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.vector.reduce.xor.v32i64(<32 x i64>)
declare i64 @llvm.vector.reduce.or.v32i64(<32 x i64>)

attributes #0 = { "prefer-vector-width"="512" "min-legal-vector-width"="512" }
