; What a watched kernel reports besides its accesses: which warp runs, and which barriers it passes. %s is the watch
; block; numbers in {braces} are of layout.py.

; Records a suspicion. One about threads of a CTA alone marks the CTA, and the launch goes on. Of others only the first is
; kept, and the launch is stopped.
define internal void @suspect(ptr %s, i64 %kind, i64 %facts) noinline cold {
  %bit = and i64 %facts, {IN_CTA}
  %own = icmp ne i64 %bit, 0
  br i1 %own, label %mark, label %any
mark:
  %pd = getelementptr i8, ptr %s, i64 {DOUBTS}
  %doubts = load ptr, ptr %pd
  %pc = getelementptr i8, ptr %s, i64 {CTA}
  %cta = load i64, ptr %pc
  %at = getelementptr i8, ptr %doubts, i64 %cta
  store i8 1, ptr %at
  %pok = getelementptr i8, ptr %s, i64 {OWN_KIND}
  %known = load i64, ptr %pok
  %new = icmp eq i64 %known, 0
  br i1 %new, label %keep, label %done
keep:
  store i64 %kind, ptr %pok
  %pof = getelementptr i8, ptr %s, i64 {OWN_FACTS}
  store i64 %facts, ptr %pof
  br label %done
any:
  %pk = getelementptr i8, ptr %s, i64 {KIND}
  %before = load i64, ptr %pk
  %first = icmp eq i64 %before, 0
  br i1 %first, label %tell, label %done
tell:
  store i64 %kind, ptr %pk
  %pf = getelementptr i8, ptr %s, i64 {FACTS}
  store i64 %facts, ptr %pf
  %ps = getelementptr i8, ptr %s, i64 {STOP}
  %stop = load ptr, ptr %ps
  store volatile i32 1, ptr %stop
  br label %done
done:
  ret void
}

define void @watch.suspect(ptr %s, i64 %kind, i64 %facts) noinline cold {
  call void @suspect(ptr %s, i64 %kind, i64 %facts)
  ret void
}

define internal i64 @advance(ptr %s) alwaysinline {
  %pn = getelementptr i8, ptr %s, i64 {NOW}
  %now0 = load i64, ptr %pn
  %now = add i64 %now0, 1
  store i64 %now, ptr %pn
  ret i64 %now
}

; How many lanes the warp began with.
define internal i64 @size(ptr %s) alwaysinline {
  %pt = getelementptr i8, ptr %s, i64 {THREADS}
  %threads = load i64, ptr %pt
  %pf = getelementptr i8, ptr %s, i64 {FIRST}
  %first = load i64, ptr %pf
  %rest = sub i64 %threads, %first
  %size = call i64 @llvm.umin.i64(i64 %rest, i64 32)
  ret i64 %size
}

; A warp of a CTA begins to run, or continues after a barrier.
define void @watch.enter(ptr %s, i64 %index, i64 %linear) {
  %pc = getelementptr i8, ptr %s, i64 {CTA}
  %cta = load i64, ptr %pc
  %known = icmp eq i64 %cta, %linear
  br i1 %known, label %warp, label %fresh
fresh:
  %pl = getelementptr i8, ptr %s, i64 {CAME}
  %left = load i64, ptr %pl
  %parted = icmp ne i64 %left, 0
  br i1 %parted, label %tell, label %begin
tell:
  %ps = getelementptr i8, ptr %s, i64 {PARTED}
  %site = load i64, ptr %ps
  call void @suspect(ptr %s, i64 {WARPS_AWAY}, i64 %site)
  br label %begin
begin:
  store i64 0, ptr %pl
  store i64 %linear, ptr %pc
  %now = call i64 @advance(ptr %s)
  %pt0 = getelementptr i8, ptr %s, i64 {TICK}
  store i64 %now, ptr %pt0
  %pg = getelementptr i8, ptr %s, i64 {BEGIN}
  store i64 %now, ptr %pg
  %pb = getelementptr i8, ptr %s, i64 {BARRIERS}
  call void @llvm.memset.p0.i64(ptr %pb, i8 0, i64 128, i1 false)
  call void @undefine(ptr %s)
  br label %warp
warp:
  %first = shl i64 %index, 5
  %pf = getelementptr i8, ptr %s, i64 {FIRST}
  store i64 %first, ptr %pf
  %pw = getelementptr i8, ptr %s, i64 {WARPS}
  %mine = getelementptr i64, ptr %pw, i64 %index
  %met = load i64, ptr %mine
  %pt = getelementptr i8, ptr %s, i64 {TICK}
  %tick = load i64, ptr %pt
  %near = call i64 @llvm.umax.i64(i64 %met, i64 %tick)
  %pn = getelementptr i8, ptr %s, i64 {NEAR}
  store i64 %near, ptr %pn
  ret void
}

; Lanes of a warp arrive at a barrier of the CTA: when all its threads have arrived, their earlier accesses are ordered
; before all later ones. Bits of `complete`: all lanes of the warp should be here, and all warps of the CTA; and this is a
; reduction, which should not be mixed with other forms: the lanes that reduce are counted in the upper half of the word.
define void @watch.arrives(ptr %s, i32 %number, i32 %generation, i32 %lanes, i64 %complete, i64 %site) {
  %pb = getelementptr i8, ptr %s, i64 {BARRIERS}
  %b = getelementptr i64, ptr %pb, i32 %number
  %before = load i32, ptr %b
  %p1 = getelementptr i8, ptr %b, i64 4
  %come0 = load i32, ptr %p1
  %same = icmp eq i32 %before, %generation
  %come1 = select i1 %same, i32 %come0, i32 0
  %here = call i32 @llvm.ctpop.i32(i32 %lanes)
  %reduces64 = and i64 %complete, 4
  %reduces = icmp ne i64 %reduces64, 0
  %high = shl i32 %here, 16
  %reducing = select i1 %reduces, i32 %high, i32 0
  %counted = add i32 %here, %reducing
  %come = add i32 %come1, %counted
  store i32 %generation, ptr %b
  store i32 %come, ptr %p1
  %pt = getelementptr i8, ptr %s, i64 {THREADS}
  %threads = load i64, ptr %pt
  %lanes_come = and i32 %come, 65535
  %come64 = zext i32 %lanes_come to i64
  %all = icmp eq i64 %come64, %threads
  %of_some = lshr i32 %come, 16
  %one_kind = icmp eq i32 %of_some, %lanes_come
  %no_kind = icmp eq i32 %of_some, 0
  %alike = or i1 %one_kind, %no_kind
  %pl = getelementptr i8, ptr %s, i64 {CAME}
  %left0 = load i64, ptr %pl
  %here1 = zext i32 %here to i64
  %left1 = add i64 %left0, %here1
  %left2 = sub i64 %left1, %threads
  %left3 = select i1 %all, i64 %left2, i64 %left1
  %asks64 = and i64 %complete, 2
  %asks = icmp ne i64 %asks64, 0
  %left = select i1 %asks, i64 %left3, i64 %left0
  store i64 %left, ptr %pl
  %pp = getelementptr i8, ptr %s, i64 {PARTED}
  %parted0 = load i64, ptr %pp
  %parted = select i1 %asks, i64 %site, i64 %parted0
  store i64 %parted, ptr %pp
  br i1 %all, label %met, label %look
met:
  %now = call i64 @advance(ptr %s)
  %p2 = getelementptr i8, ptr %s, i64 {TICK}
  store i64 %now, ptr %p2
  br label %look
look:
  %wanted = call i64 @size(ptr %s)
  %here64 = zext i32 %here to i64
  %some = icmp ne i64 %here64, %wanted
  %differ = xor i1 %alike, true
  %odd = or i1 %some, %differ
  %asked = icmp ne i64 %complete, 0
  %wrong = and i1 %odd, %asked
  br i1 %wrong, label %tell, label %done
tell:
  call void @suspect(ptr %s, i64 {LANES_AWAY}, i64 %site)
  br label %done
done:
  ret void
}

; bar.warp.sync: the lanes' earlier accesses are ordered before later ones of the warp, if all lanes are here and named.
define void @watch.meets(ptr %s, i32 %lanes, i32 %members) {
  %here = call i32 @llvm.ctpop.i32(i32 %lanes)
  %here64 = zext i32 %here to i64
  %wanted = call i64 @size(ptr %s)
  %all = icmp eq i64 %here64, %wanted
  %named = and i32 %lanes, %members
  %every = icmp eq i32 %named, %lanes
  %whole = and i1 %all, %every
  br i1 %whole, label %met, label %done
met:
  %now = call i64 @advance(ptr %s)
  %pn = getelementptr i8, ptr %s, i64 {NEAR}
  store i64 %now, ptr %pn
  %pf = getelementptr i8, ptr %s, i64 {FIRST}
  %first = load i64, ptr %pf
  %index = lshr i64 %first, 5
  %pw = getelementptr i8, ptr %s, i64 {WARPS}
  %mine = getelementptr i64, ptr %pw, i64 %index
  store i64 %now, ptr %mine
  br label %done
done:
  ret void
}

; An instruction of a whole warp, for the lanes in %members.
define void @watch.together(ptr %s, i32 %lanes, i32 %members, i64 %site) {
  %both = and i32 %lanes, %members
  %all = icmp eq i32 %both, -1
  br i1 %all, label %done, label %tell
tell:
  call void @suspect(ptr %s, i64 {LANES_AWAY}, i64 %site)
  br label %done
done:
  ret void
}
