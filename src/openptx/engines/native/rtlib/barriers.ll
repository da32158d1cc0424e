; Barriers. A warp arrives as a whole, so it counts as 32 threads; without a count, all that have not ended must come.
; [counted
define internal void @openptx.settle(ptr %w, i32 %number) alwaysinline {
  %offset = mul i32 %number, {BARRIER}
  %all = getelementptr i8, ptr %w, i64 {BARRIERS}
  %b = getelementptr i8, ptr %all, i32 %offset
  %come = load i32, ptr %b
  %some = icmp ne i32 %come, 0
  br i1 %some, label %open, label %leave
leave:
  ret void
open:
  %p1 = getelementptr i8, ptr %b, i64 4
  %wanted = load i32, ptr %p1
  %p2 = getelementptr i8, ptr %b, i64 8
  %generation = load i32, ptr %p2
  %p3 = getelementptr i8, ptr %b, i64 12
  %real32 = load i32, ptr %p3
  %real = zext i32 %real32 to i64
  %p4 = getelementptr i8, ptr %w, i64 {ALIVE}
  %alive = load i64, ptr %p4
  %everybody = icmp uge i64 %real, %alive
  %enough = icmp uge i32 %come, %wanted
  %counted = icmp ne i32 %wanted, 0
  %done = select i1 %counted, i1 %enough, i1 %everybody
  br i1 %done, label %release, label %leave
release:
  %after = add i32 %generation, 1
  store i32 %after, ptr %p2
  store i32 0, ptr %b
  store i32 0, ptr %p1
  store i32 0, ptr %p3
  %parity = and i32 %after, 1
  %at = mul i32 %parity, 4
  %p5 = getelementptr i8, ptr %b, i64 16
  %yes = getelementptr i8, ptr %p5, i32 %at
  store i32 0, ptr %yes
  %p6 = getelementptr i8, ptr %b, i64 24
  %voters = getelementptr i8, ptr %p6, i32 %at
  store i32 0, ptr %voters
  ret void
}

define internal i32 @openptx.arrive(ptr %w, i32 %number, i32 %wanted, i32 %live, i32 %votes) alwaysinline {
  %offset = mul i32 %number, {BARRIER}
  %all = getelementptr i8, ptr %w, i64 {BARRIERS}
  %b = getelementptr i8, ptr %all, i32 %offset
  %come = load i32, ptr %b
  %more = add i32 %come, 32
  store i32 %more, ptr %b
  %p1 = getelementptr i8, ptr %b, i64 4
  store i32 %wanted, ptr %p1
  %p2 = getelementptr i8, ptr %b, i64 8
  %generation = load i32, ptr %p2
  %p3 = getelementptr i8, ptr %b, i64 12
  %real = load i32, ptr %p3
  %here = call i32 @llvm.ctpop.i32(i32 %live)
  %real1 = add i32 %real, %here
  store i32 %real1, ptr %p3
  %parity = and i32 %generation, 1
  %at = mul i32 %parity, 4
  %p5 = getelementptr i8, ptr %b, i64 16
  %yes = getelementptr i8, ptr %p5, i32 %at
  %yes0 = load i32, ptr %yes
  %said = call i32 @llvm.ctpop.i32(i32 %votes)
  %yes1 = add i32 %yes0, %said
  store i32 %yes1, ptr %yes
  %p6 = getelementptr i8, ptr %b, i64 24
  %voters = getelementptr i8, ptr %p6, i32 %at
  %voters0 = load i32, ptr %voters
  %voters1 = add i32 %voters0, %here
  store i32 %voters1, ptr %voters
  call void @openptx.settle(ptr %w, i32 %number)
  ret i32 %generation
}
; counted]

; [uncounted
; Where no barrier of a kernel has a count or a vote, all that matters is how many lanes have come.
define internal void @openptx.settle(ptr %w, i32 %number) alwaysinline {
  %offset = mul i32 %number, {BARRIER}
  %all = getelementptr i8, ptr %w, i64 {BARRIERS}
  %b = getelementptr i8, ptr %all, i32 %offset
  %p3 = getelementptr i8, ptr %b, i64 12
  %come32 = load i32, ptr %p3
  %come = zext i32 %come32 to i64
  %some = icmp ne i32 %come32, 0
  %p4 = getelementptr i8, ptr %w, i64 {ALIVE}
  %alive = load i64, ptr %p4
  %everybody = icmp uge i64 %come, %alive
  %done = and i1 %some, %everybody
  br i1 %done, label %release, label %leave
leave:
  ret void
release:
  %p2 = getelementptr i8, ptr %b, i64 8
  %generation = load i32, ptr %p2
  %after = add i32 %generation, 1
  store i32 %after, ptr %p2
  store i32 0, ptr %p3
  ret void
}

define internal i32 @openptx.arrive(ptr %w, i32 %number, i32 %wanted, i32 %live, i32 %votes) alwaysinline {
  %offset = mul i32 %number, {BARRIER}
  %all = getelementptr i8, ptr %w, i64 {BARRIERS}
  %b = getelementptr i8, ptr %all, i32 %offset
  %p2 = getelementptr i8, ptr %b, i64 8
  %generation = load i32, ptr %p2
  %p3 = getelementptr i8, ptr %b, i64 12
  %come = load i32, ptr %p3
  %here = call i32 @llvm.ctpop.i32(i32 %live)
  %more = add i32 %come, %here
  store i32 %more, ptr %p3
  call void @openptx.settle(ptr %w, i32 %number)
  ret i32 %generation
}
; uncounted]
