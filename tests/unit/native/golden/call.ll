define internal i1 @span.load.0(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.load(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

define internal i1 @span.store.1(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.store(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

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
%v10 = lshr i64 %v9, 32
%v11 = getelementptr i8, ptr %w, i64 8
%v12 = load i64, ptr %v11, align 4, !tbaa !5
%v13 = sub i64 %v10, 16
%v14 = sub i64 %v12, 16
%v15 = icmp ult i64 %v13, %v14
%v16 = select i1 %v15, i64 %v10, i64 0
%v17 = getelementptr [32 x i8], ptr %v1, i64 %v16
%v18 = getelementptr i8, ptr %v17, i64 0
%v19 = getelementptr i8, ptr %v17, i64 8
%v20 = getelementptr i8, ptr %v17, i64 16
%v21 = getelementptr i8, ptr %v17, i64 24
%v22 = load i64, ptr %v18, align 8, !tbaa !5
%v23 = load i64, ptr %v19, align 8, !tbaa !5
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = add i64 %v22, 3
%v27 = and i64 %v26, -4
%v28 = sub i64 %v27, %v22
%v29 = sub i64 %v23, %v28
%v30 = sub i64 %v24, %v28
%v31 = add i64 %v27, %v25
%v32 = inttoptr i64 %v31 to ptr
%v33 = sub i64 %v9, %v27
%v34 = sub i64 %v30, 127
%v35 = call i64 @llvm.smax.i64(i64 %v34, i64 0)
%v36 = add i64 %v35, 3
%v37 = lshr i64 %v36, 2
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
%v38 = zext i32 %first32 to i64
%v39 = mul i64 %v38, 4
%v40 = add i64 %v9, %v39
%v41 = sub i64 %v40, %v9
%v42 = add i64 %v33, %v41
%v43 = call i64 @llvm.fshr.i64(i64 %v42, i64 %v42, i64 2)
%v44 = icmp ult i64 %v43, %v37
br i1 %v44, label %b45, label %b46, !prof !1
b45:
%v47 = getelementptr i8, ptr %v32, i64 %v42
%v48 = load <32 x i32>, ptr %v47, align 4, !tbaa !6
br label %b49
b46:
%v50 = zext i32 -1 to i64
%v51 = call i1 @span.load.0(ptr %w, i64 %v50, i64 %v27, i64 %v42, i64 %first, i64 0)
br i1 %v51, label %b52, label %b53, !prof !0
b52:
%v54 = getelementptr i8, ptr %w, i64 196
store i32 4, ptr %v54, align 4
br label %failed
b53:
%v55 = getelementptr i8, ptr %w, i64 1280
%v56 = load volatile <32 x i32>, ptr %v55, align 4, !tbaa !5
br label %b49
b49:
%v57 = phi <32 x i32> [%v48, %b45], [%v56, %b53]
%v58 = getelementptr i8, ptr %in, i64 0
store <32 x i32> %v57, ptr %v58, align 64
%v59 = call i32 @function1(ptr %w, ptr %in, ptr %out, i32 %index, <32 x i1> splat (i1 true), i64 0)
%v60 = icmp ne i32 %v59, 0
br i1 %v60, label %b61, label %b62, !prof !0
b61:
call void @openptx.chain(ptr %w, i32 5)
br label %failed
b62:
%v63 = getelementptr i8, ptr %out, i64 0
%v64 = load <32 x i32>, ptr %v63, align 64
br i1 %v44, label %b65, label %b66, !prof !1
b66:
%v67 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v64, ptr %v67, align 4, !tbaa !5
%v68 = sub i64 %v40, %v27
%v69 = zext i32 -1 to i64
%v70 = call i1 @span.store.1(ptr %w, i64 %v69, i64 %v27, i64 %v68, i64 %first, i64 0)
br i1 %v70, label %b71, label %b72, !prof !0
b71:
%v73 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v73, align 4
br label %failed
b72:
br label %b74
b65:
%v75 = sub i64 %v40, %v9
%v76 = add i64 %v33, %v75
%v77 = getelementptr i8, ptr %v32, i64 %v76
store <32 x i32> %v64, ptr %v77, align 4, !tbaa !6
br label %b74
b74:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v78 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v78, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v79 = icmp ult i32 %next, 2
br i1 %v79, label %ready, label %rest
rest:
%v80 = getelementptr i8, ptr %w, i64 928
%v81 = load i32, ptr %v80, align 4
%v82 = add i32 %v81, -1
store i32 %v82, ptr %v80, align 4
%v83 = getelementptr i8, ptr %w, i64 120
%v84 = load ptr, ptr %v83, align 8
%v85 = getelementptr i8, ptr %v84, i64 16
%v86 = load volatile i32, ptr %v85, align 4
%v87 = icmp ne i32 %v82, 0
%v88 = icmp eq i32 %v86, 0
%v89 = and i1 %v87, %v88
br i1 %v89, label %beside, label %done
done:
ret i32 0
beside:
%v90 = getelementptr i8, ptr %w, i64 64
%v91 = load i32, ptr %v90, align 4
%v92 = add i32 %v91, 1
store i32 %v92, ptr %v90, align 4
%v93 = getelementptr i8, ptr %w, i64 88
%v94 = load i64, ptr %v93, align 4
%v95 = add i64 %v94, 1
store i64 %v95, ptr %v93, align 4
%v96 = getelementptr i8, ptr %w, i64 848
%v97 = load i64, ptr %v96, align 4
%v98 = add i64 %v97, 1
store i64 %v98, ptr %v96, align 4
br label %cta
ready:
br label %warp
}

define internal i32 @function1(ptr noalias %w, ptr %arguments, ptr %results, i32 %index, <32 x i1> %mask, i64 %base) noinline nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca <32 x i32>, align 64
%r1 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 65536, ptr %fuel, align 4
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i32> zeroinitializer, ptr %r1, align 4
store <32 x i1> %mask, ptr %live, align 4
%v0 = add i64 %base, 0
%v1 = getelementptr i8, ptr %w, i64 40
%v2 = load i64, ptr %v1, align 8
%v3 = icmp ugt i64 %v0, %v2
%v4 = getelementptr i8, ptr %w, i64 240
%v5 = load ptr, ptr %v4, align 8
%v6 = icmp ult ptr %live, %v5
%v7 = or i1 %v3, %v6
br i1 %v7, label %b8, label %b9, !prof !0
b8:
%v10 = bitcast <32 x i1> %mask to i32
%v11 = getelementptr i8, ptr %w, i64 192
store i32 8, ptr %v11, align 4
%v12 = getelementptr i8, ptr %w, i64 200
store i32 %v10, ptr %v12, align 4
%v13 = getelementptr i8, ptr %w, i64 216
store i32 0, ptr %v13, align 4
%v14 = getelementptr i8, ptr %w, i64 196
store i32 1048576, ptr %v14, align 4
br label %failed
b9:
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
