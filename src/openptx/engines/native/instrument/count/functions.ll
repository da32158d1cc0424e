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
define void @count.request(ptr %c, i64 %entries, i64 %masks, i64 %site, i64 %mask, i64 %modulus, i64 %window, i64 %sums, i64 %facts) noinline #0 {
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
  %measure = and i64 %facts, 255
  %measurable = icmp ne i64 %measure, {OTHER}
  br i1 %measurable, label %measured, label %logged
measured:
  %psums = getelementptr i8, ptr %c, i64 %sums
  %size = lshr i64 %facts, 8
  call void @measure(ptr %c, ptr %psums, i64 %mask, i64 %measure, i64 %size)
  br label %done
logged:
  call void @count.log(ptr %c, i64 %site, i64 %mask)
  br label %done
done:
  ret void
}

; The slot of a key, which is new (COUNT_OF is 0) if it has not been looked up before in this request.
define internal ptr @slot(ptr %table, i64 %key, i64 %serial) alwaysinline {
entry:
  %mixed = mul i64 %key, -7046029254386353131
  %begin = lshr i64 %mixed, 58
  br label %look
look:
  %i = phi i64 [ %begin, %entry ], [ %next, %other ]
  %distance = mul i64 %i, {SLOT}
  %place = getelementptr i8, ptr %table, i64 %distance
  %ps = getelementptr i8, ptr %place, i64 {SERIAL_OF}
  %whose = load i64, ptr %ps
  %old = icmp eq i64 %whose, %serial
  br i1 %old, label %compare, label %take
compare:
  %known = load i64, ptr %place
  %same = icmp eq i64 %known, %key
  br i1 %same, label %done, label %other
other:
  %more = add i64 %i, 1
  %next = and i64 %more, 63
  br label %look
take:
  store i64 %key, ptr %place
  store i64 %serial, ptr %ps
  %pc = getelementptr i8, ptr %place, i64 {COUNT_OF}
  store i64 0, ptr %pc
  br label %done
done:
  ret ptr %place
}

define internal void @plus(ptr %place, i64 %amount) alwaysinline {
  %before = load i64, ptr %place
  %after = add i64 %before, %amount
  store i64 %after, ptr %place
  ret void
}

; Adds what a request of the lanes in %mask costs, by the definitions of profile/sectors.py, wavefronts.py and
; collisions.py. LANES has its addresses; lanes that do not execute have the address of one that does.
define internal void @measure(ptr %c, ptr %sums, i64 %mask, i64 %what, i64 %size) noinline #0 {
entry:
  %pserial = getelementptr i8, ptr %c, i64 {SERIAL}
  call void @plus(ptr %pserial, i64 1)
  %serial = load i64, ptr %pserial
  %addresses = getelementptr i8, ptr %c, i64 {ADDRESSES}
  %sectors = getelementptr i8, ptr %c, i64 {SECTORS}
  %banks = getelementptr i8, ptr %c, i64 {BANKS}
  store <32 x i8> zeroinitializer, ptr %banks, align 32
  %lanes = getelementptr i8, ptr %c, i64 {LANES}
  %inglobal = icmp ule i64 %what, {ATOMICS}
  %loads = icmp eq i64 %what, {LOADS}
  %words = icmp eq i64 %what, {SHARED_LOADS}
  %unit = select i1 %words, i64 2, i64 0
  %all = load <32 x i64>, ptr %lanes, align 64
  %start = load i64, ptr %lanes
  %starts = call <32 x i64> @splat(i64 %start)
  %apart = xor <32 x i64> %all, %starts
  %far = call i64 @llvm.vector.reduce.or.v32i64(<32 x i64> %apart)
  %near = icmp ult i64 %far, 4294967296
  br i1 %near, label %sort, label %loop
sort:  ; addresses, or words, that agree in their upper halves; lanes that are not active come last
  %low = trunc <32 x i64> %all to <32 x i32>
  %unit32 = trunc i64 %unit to i32
  %u0 = insertelement <32 x i32> poison, i32 %unit32, i32 0
  %units = shufflevector <32 x i32> %u0, <32 x i32> poison, <32 x i32> zeroinitializer
  %keys0 = lshr <32 x i32> %low, %units
  %who32 = trunc i64 %mask to i32
  %takepart = bitcast i32 %who32 to <32 x i1>
  %keys = select <32 x i1> %takepart, <32 x i32> %keys0, <32 x i32> splat (i32 -1)
  %active64 = call i64 @llvm.ctpop.i64(i64 %mask)
  %end64 = shl i64 1, %active64
  %valid64 = sub i64 %end64, 1
  %valid = trunc i64 %valid64 to i32
  %order = call <32 x i32> @sorted(<32 x i32> %keys)
  %before1 = shufflevector <32 x i32> %order, <32 x i32> poison, <32 x i32> {PREVIOUS}
  %changes = icmp ne <32 x i32> %order, %before1
  %bits0 = bitcast <32 x i1> %changes to i32
  %bits1 = or i32 %bits0, 1
  %bits = and i32 %bits1, %valid
  %distinct32 = call i32 @llvm.ctpop.i32(i32 %bits)
  %distinct = zext i32 %distinct32 to i64
  br i1 %inglobal, label %sorted1, label %spread
sorted1:
  %numbers = lshr <32 x i32> %order, splat (i32 5)
  %earlier = lshr <32 x i32> %before1, splat (i32 5)
  %others = icmp ne <32 x i32> %numbers, %earlier
  %sbits0 = bitcast <32 x i1> %others to i32
  %sbits1 = or i32 %sbits0, 1
  %sbits = and i32 %sbits1, %valid
  %moved32 = call i32 @llvm.ctpop.i32(i32 %sbits)
  %moved = zext i32 %moved32 to i64
  %repeats32 = xor i32 %bits, %valid
  %repeats = zext i32 %repeats32 to i64
  %begins32 = zext i32 %sbits to i64
  %begins = or i64 %begins32, %end64
  %simple = icmp eq i64 %repeats, 0
  %short = or i1 %simple, %loads
  br i1 %short, label %sum, label %sectors1
sectors1:  ; those with repeated addresses take as many more passes as the longest run of these has repetitions
  %dups = phi i64 [ %repeats, %sorted1 ], [ %dups1, %longest ]
  %passes = phi i64 [ %moved, %sorted1 ], [ %passes1, %longest ]
  %at = call i64 @llvm.cttz.i64(i64 %dups, i1 true)
  %upto0 = shl i64 2, %at
  %upto = sub i64 %upto0, 1
  %beyond0 = xor i64 %upto, -1
  %beyond = and i64 %begins, %beyond0
  %stop = call i64 @llvm.cttz.i64(i64 %beyond, i1 true)
  %until0 = shl i64 1, %stop
  %until = sub i64 %until0, 1
  %inside = and i64 %dups, %until
  %kept = xor i64 %until, -1
  %dups1 = and i64 %dups, %kept
  br label %longest0
longest0:
  %run = phi i64 [ %inside, %sectors1 ], [ %run1, %longest0 ]
  %passes0 = phi i64 [ %passes, %sectors1 ], [ %passes1, %longest0 ]
  %passes1 = add i64 %passes0, 1
  %shifted = shl i64 %run, 1
  %run1 = and i64 %run, %shifted
  %longer = icmp ne i64 %run1, 0
  br i1 %longer, label %longest0, label %longest
longest:
  %anymore = icmp ne i64 %dups1, 0
  br i1 %anymore, label %sectors1, label %sum
spread:  ; each different word, or each lane, takes a turn of its bank
  %psorted = getelementptr i8, ptr %c, i64 {SORTED}
  %aswords = lshr <32 x i32> %low, splat (i32 2)
  %counted = select i1 %words, <32 x i32> %order, <32 x i32> %aswords
  %inbanks = and <32 x i32> %counted, splat (i32 31)
  store <32 x i32> %inbanks, ptr %psorted, align 64
  %wide = zext i32 %bits to i64
  %turns = select i1 %words, i64 %wide, i64 %mask
  br label %turn
turn:
  %left = phi i64 [ %turns, %spread ], [ %fewer, %turn ]
  %who = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %leftm = sub i64 %left, 1
  %fewer = and i64 %left, %leftm
  %pwho = getelementptr i32, ptr %psorted, i64 %who
  %itsbank = load i32, ptr %pwho
  %bank64 = zext i32 %itsbank to i64
  %pbank = getelementptr i8, ptr %banks, i64 %bank64
  %had = load i8, ptr %pbank
  %has = add i8 %had, 1
  store i8 %has, ptr %pbank
  %goon = icmp ne i64 %fewer, 0
  br i1 %goon, label %turn, label %fullest
fullest:
  %each = load <32 x i8>, ptr %banks, align 32
  %most8 = call i8 @llvm.vector.reduce.umax.v32i8(<32 x i8> %each)
  %fullest64 = zext i8 %most8 to i64
  br label %sum
loop:
  %rest = phi i64 [ %mask, %entry ], [ %less, %next ]
  %taken = phi i64 [ 0, %entry ], [ %taken1, %next ]
  %different = phi i64 [ 0, %entry ], [ %different1, %next ]
  %groups = phi i64 [ 0, %entry ], [ %groups1, %next ]
  %lane = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %minus = sub i64 %rest, 1
  %less = and i64 %rest, %minus
  %pa = getelementptr i64, ptr %lanes, i64 %lane
  %a = load i64, ptr %pa
  %key = lshr i64 %a, %unit
  %here = call ptr @slot(ptr %addresses, i64 %key, i64 %serial)
  %pn = getelementptr i8, ptr %here, i64 {COUNT_OF}
  %n0 = load i64, ptr %pn
  %n = add i64 %n0, 1
  store i64 %n, ptr %pn
  %new = icmp eq i64 %n0, 0
  %one = zext i1 %new to i64
  %different1 = add i64 %different, %one
  br i1 %inglobal, label %sector, label %bank
sector:
  %number = lshr i64 %a, 5
  %there = call ptr @slot(ptr %sectors, i64 %number, i64 %serial)
  %pm = getelementptr i8, ptr %there, i64 {COUNT_OF}
  %m = load i64, ptr %pm
  %fresh = icmp eq i64 %m, 0
  %group = zext i1 %fresh to i64
  %groups2 = add i64 %groups, %group
  %exceeds = icmp ugt i64 %n, %m
  %pass = zext i1 %exceeds to i64
  %most = call i64 @llvm.umax.i64(i64 %n, i64 %m)
  store i64 %most, ptr %pm
  %step = select i1 %loads, i64 %group, i64 %pass
  %taken2 = add i64 %taken, %step
  br label %next
bank:
  %word = lshr i64 %a, 2
  %which = and i64 %word, 31
  %pb = getelementptr i8, ptr %banks, i64 %which
  %old = load i8, ptr %pb
  %oldn = zext i8 %old to i64
  %every = xor i1 %words, true
  %counts = or i1 %every, %new
  %amount = zext i1 %counts to i64
  %nown = add i64 %oldn, %amount
  %now = trunc i64 %nown to i8
  store i8 %now, ptr %pb
  %taken3 = call i64 @llvm.umax.i64(i64 %taken, i64 %nown)
  br label %next
next:
  %taken1 = phi i64 [ %taken2, %sector ], [ %taken3, %bank ]
  %groups1 = phi i64 [ %groups2, %sector ], [ 1, %bank ]
  %more = icmp ne i64 %less, 0
  br i1 %more, label %loop, label %sum
sum:
  %takes = phi i64 [ %taken1, %next ], [ %moved, %sorted1 ], [ %passes1, %longest ], [ %fullest64, %fullest ]
  %differ = phi i64 [ %different1, %next ], [ %distinct, %sorted1 ], [ %distinct, %longest ], [ %distinct, %fullest ]
  %would = phi i64 [ %groups1, %next ], [ %moved, %sorted1 ], [ %moved, %longest ], [ 1, %fullest ]
  %count = call i64 @llvm.ctpop.i64(i64 %mask)
  %used = mul i64 %differ, %size
  %rounded = add i64 %used, 31
  %filled = lshr i64 %rounded, 5
  %ideal = select i1 %loads, i64 %filled, i64 %would
  %again = sub i64 %count, %differ
  call void @plus(ptr %sums, i64 1)
  %p1 = getelementptr i8, ptr %sums, i64 {ACTIVE_LANES}
  call void @plus(ptr %p1, i64 %count)
  %p2 = getelementptr i8, ptr %sums, i64 {TAKEN}
  call void @plus(ptr %p2, i64 %takes)
  %p3 = getelementptr i8, ptr %sums, i64 {IDEAL}
  call void @plus(ptr %p3, i64 %ideal)
  %p4 = getelementptr i8, ptr %sums, i64 {REPEATED}
  call void @plus(ptr %p4, i64 %again)
  ; Kept is the request that wastes most, of these the one with the most lanes, of these one chosen by a rank that does
  ; not depend on the order of requests.
  %waste = sub i64 %takes, %ideal
  %p5 = getelementptr i8, ptr %sums, i64 {WASTE}
  %worst = load i64, ptr %p5
  %p6 = getelementptr i8, ptr %sums, i64 {LANES_OF}
  %known = load i64, ptr %p6
  %worse = icmp sgt i64 %waste, %worst
  %alike = icmp eq i64 %waste, %worst
  %wider = icmp ugt i64 %count, %known
  %wider2 = and i1 %alike, %wider
  %better = or i1 %worse, %wider2
  %equal = icmp eq i64 %count, %known
  %tie = and i1 %alike, %equal
  %look = or i1 %better, %tie
  br i1 %look, label %rank, label %end
rank:
  %row = load <32 x i64>, ptr %lanes, align 64
  %first = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %pf = getelementptr i64, ptr %lanes, i64 %first
  %base = load i64, ptr %pf
  %bases = call <32 x i64> @splat(i64 %base)
  %offsets = sub <32 x i64> %row, %bases
  %m32 = trunc i64 %mask to i32
  %active = bitcast i32 %m32 to <32 x i1>
  %marked = select <32 x i1> %active, <32 x i64> %offsets, <32 x i64> splat (i64 -1)
  %products = mul <32 x i64> %marked, {FACTORS}
  %mixed = call i64 @llvm.vector.reduce.add.v32i64(<32 x i64> %products)
  %p7 = getelementptr i8, ptr %sums, i64 {MIXED}
  %before = load i64, ptr %p7
  %higher = icmp sgt i64 %mixed, %before
  %keep = or i1 %better, %higher
  br i1 %keep, label %keptone, label %end
keptone:
  store i64 %waste, ptr %p5
  store i64 %count, ptr %p6
  store i64 %mixed, ptr %p7
  %p8 = getelementptr i8, ptr %sums, i64 {MASK_OF}
  store i64 %mask, ptr %p8
  %p9 = getelementptr i8, ptr %sums, i64 {PLACES}
  store <32 x i64> %row, ptr %p9, align 64
  br label %end
end:
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

; Adds the time that the warps of a record's generation have waited to the counter of its statement.
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

; The running warp continues after a barrier.
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
declare i64 @llvm.vector.reduce.add.v32i64(<32 x i64>)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctpop.i32(i32)
declare i8 @llvm.vector.reduce.umax.v32i8(<32 x i8>)

attributes #0 = { "prefer-vector-width"="512" "min-legal-vector-width"="512" }
