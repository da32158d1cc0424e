define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%fuel = alloca i32, align 4
store i32 32768, ptr %fuel, align 4
%in = alloca [512 x i8], align 64
%out = alloca [512 x i8], align 64
%v0 = getelementptr i8, ptr %w, i64 0
%v1 = load ptr, ptr %v0, align 4, !tbaa !5
%v2 = getelementptr i8, ptr %v1, i64 128
%v3 = load i64, ptr %v2, align 8, !tbaa !5
%v4 = getelementptr i8, ptr %v2, i64 24
%v5 = load i64, ptr %v4, align 8, !tbaa !5
%v6 = add i64 %v3, %v5
%v7 = inttoptr i64 %v6 to ptr
%v8 = getelementptr i8, ptr %v7, i64 0
%v9 = load i64, ptr %v8, align 8, !tbaa !5
%v10 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v9, i64 4, i64 1, ptr %v10)
%v11 = getelementptr i8, ptr %v10, i64 0
%v12 = getelementptr i8, ptr %v10, i64 8
%v13 = getelementptr i8, ptr %v10, i64 16
%v14 = getelementptr i8, ptr %v10, i64 24
%v15 = load i64, ptr %v11, align 8, !tbaa !5
%v16 = load i64, ptr %v12, align 8, !tbaa !5
%v17 = load i64, ptr %v13, align 8, !tbaa !5
%v18 = load i64, ptr %v14, align 8, !tbaa !5
%v19 = inttoptr i64 %v18 to ptr
%v20 = sub i64 %v9, %v15
%v21 = sub i64 %v17, 127
%v22 = call i64 @llvm.smax.i64(i64 %v21, i64 0)
%v23 = add i64 %v22, 3
%v24 = lshr i64 %v23, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
br label %warp
warp:
%index = phi i32 [ %begin, %cta ], [ %next, %ready ]
%index64 = zext i32 %index to i64
%place = mul i64 %index64, 0
%frame = getelementptr i8, ptr %frames, i64 %place
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v25 = zext i32 %first32 to i64
%v26 = mul i64 %v25, 4
%v27 = add i64 %v9, %v26
%v28 = sub i64 %v27, %v9
%v29 = add i64 %v20, %v28
%v30 = call i64 @llvm.fshr.i64(i64 %v29, i64 %v29, i64 2)
%v31 = icmp ult i64 %v30, %v24
br i1 %v31, label %b32, label %b33, !prof !1
b33:
%v34 = add i64 %v15, %v29
%v35 = zext i32 -1 to i64
%v36 = call i1 @openptx.load_span(ptr %w, i64 %v35, i64 17179935745, i64 %v34, ptr @span.0)
br i1 %v36, label %failed, label %b37, !prof !0
b37:
%v38 = getelementptr i8, ptr %w, i64 1280
%v39 = load volatile <32 x i32>, ptr %v38, align 4, !tbaa !5
br label %b40
b32:
%v41 = getelementptr i8, ptr %v19, i64 %v29
%v42 = load <32 x i32>, ptr %v41, align 4, !tbaa !6
br label %b40
b40:
%v43 = phi <32 x i32> [%v42, %b32], [%v39, %b37]
%v44 = getelementptr i8, ptr %in, i64 0
store <32 x i32> %v43, ptr %v44, align 64
%v45 = bitcast <32 x i1> splat (i1 true) to i32
%v46 = call i32 @function1(ptr %w, ptr %in, ptr %out, i32 %index, i32 %v45, i64 0)
%v47 = icmp ne i32 %v46, 0
br i1 %v47, label %b48, label %b49, !prof !0
b48:
call void @openptx.chain(ptr %w, i32 5)
br label %failed
b49:
%v50 = getelementptr i8, ptr %out, i64 0
%v51 = load <32 x i32>, ptr %v50, align 64
br i1 %v31, label %b52, label %b53, !prof !1
b53:
%v54 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v51, ptr %v54, align 4, !tbaa !5
%v55 = zext i32 -1 to i64
%v56 = call i1 @openptx.store_span(ptr %w, i64 %v55, i64 25769870337, i64 %v27, ptr @span.0)
br i1 %v56, label %failed, label %b57, !prof !0
b57:
br label %b58
b52:
%v59 = sub i64 %v27, %v9
%v60 = add i64 %v20, %v59
%v61 = getelementptr i8, ptr %v19, i64 %v60
store <32 x i32> %v51, ptr %v61, align 4, !tbaa !6
br label %b58
b58:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v62 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v62, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v63 = icmp ult i32 %next, 2
br i1 %v63, label %ready, label %rest
rest:
%v64 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v64, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}

define internal i32 @function1(ptr noalias %w, ptr %arguments, ptr %results, i32 %index, i32 %lanes, i64 %base) noinline nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca <32 x i32>, align 64
%r1 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 65536, ptr %fuel, align 4
%here = alloca i8
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i32> zeroinitializer, ptr %r1, align 4
%v0 = bitcast i32 %lanes to <32 x i1>
store <32 x i1> %v0, ptr %live, align 4
%v1 = add i64 %base, 0
%v2 = getelementptr i8, ptr %w, i64 40
%v3 = load i64, ptr %v2, align 8
%v4 = icmp ugt i64 %v1, %v3
%v5 = getelementptr i8, ptr %w, i64 240
%v6 = load ptr, ptr %v5, align 8
%v7 = icmp ult ptr %here, %v6
%v8 = or i1 %v4, %v7
br i1 %v8, label %b9, label %b10, !prof !0
b9:
%v11 = getelementptr i8, ptr %w, i64 192
store i32 8, ptr %v11, align 4
%v12 = getelementptr i8, ptr %w, i64 200
store i32 %lanes, ptr %v12, align 4
%v13 = getelementptr i8, ptr %w, i64 216
store i32 0, ptr %v13, align 4
%v14 = getelementptr i8, ptr %w, i64 196
store i32 1048576, ptr %v14, align 4
br label %failed
b10:
%v15 = getelementptr i8, ptr %arguments, i64 0
%v16 = load <32 x i32>, ptr %v15, align 64
store <32 x i32> %v16, ptr %r1, align 4
br label %block0
block0:
; 0
%v17 = load <32 x i1>, ptr %live, align 4
%v18 = load <32 x i32>, ptr %r1, align 4
%v19 = mul <32 x i32> %v18, %v18
store <32 x i32> %v19, ptr %r0, align 4
%v20 = getelementptr i8, ptr %results, i64 0
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v19, ptr align 64 %v20, <32 x i1> %v17)
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
ret i32 0
failed:
ret i32 2
}
