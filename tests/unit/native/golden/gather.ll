define <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%all = icmp eq i32 %lanes, -1
br i1 %all, label %whole, label %part
whole:
%o0 = extractelement <32 x ptr> %at, i32 0
%o1 = load i32, ptr %o0, align 4, !tbaa !6
%o2 = insertelement <32 x i32> poison, i32 %o1, i32 0
%o3 = extractelement <32 x ptr> %at, i32 1
%o4 = load i32, ptr %o3, align 4, !tbaa !6
%o5 = insertelement <32 x i32> %o2, i32 %o4, i32 1
%o6 = extractelement <32 x ptr> %at, i32 2
%o7 = load i32, ptr %o6, align 4, !tbaa !6
%o8 = insertelement <32 x i32> %o5, i32 %o7, i32 2
%o9 = extractelement <32 x ptr> %at, i32 3
%o10 = load i32, ptr %o9, align 4, !tbaa !6
%o11 = insertelement <32 x i32> %o8, i32 %o10, i32 3
%o12 = extractelement <32 x ptr> %at, i32 4
%o13 = load i32, ptr %o12, align 4, !tbaa !6
%o14 = insertelement <32 x i32> %o11, i32 %o13, i32 4
%o15 = extractelement <32 x ptr> %at, i32 5
%o16 = load i32, ptr %o15, align 4, !tbaa !6
%o17 = insertelement <32 x i32> %o14, i32 %o16, i32 5
%o18 = extractelement <32 x ptr> %at, i32 6
%o19 = load i32, ptr %o18, align 4, !tbaa !6
%o20 = insertelement <32 x i32> %o17, i32 %o19, i32 6
%o21 = extractelement <32 x ptr> %at, i32 7
%o22 = load i32, ptr %o21, align 4, !tbaa !6
%o23 = insertelement <32 x i32> %o20, i32 %o22, i32 7
%o24 = extractelement <32 x ptr> %at, i32 8
%o25 = load i32, ptr %o24, align 4, !tbaa !6
%o26 = insertelement <32 x i32> %o23, i32 %o25, i32 8
%o27 = extractelement <32 x ptr> %at, i32 9
%o28 = load i32, ptr %o27, align 4, !tbaa !6
%o29 = insertelement <32 x i32> %o26, i32 %o28, i32 9
%o30 = extractelement <32 x ptr> %at, i32 10
%o31 = load i32, ptr %o30, align 4, !tbaa !6
%o32 = insertelement <32 x i32> %o29, i32 %o31, i32 10
%o33 = extractelement <32 x ptr> %at, i32 11
%o34 = load i32, ptr %o33, align 4, !tbaa !6
%o35 = insertelement <32 x i32> %o32, i32 %o34, i32 11
%o36 = extractelement <32 x ptr> %at, i32 12
%o37 = load i32, ptr %o36, align 4, !tbaa !6
%o38 = insertelement <32 x i32> %o35, i32 %o37, i32 12
%o39 = extractelement <32 x ptr> %at, i32 13
%o40 = load i32, ptr %o39, align 4, !tbaa !6
%o41 = insertelement <32 x i32> %o38, i32 %o40, i32 13
%o42 = extractelement <32 x ptr> %at, i32 14
%o43 = load i32, ptr %o42, align 4, !tbaa !6
%o44 = insertelement <32 x i32> %o41, i32 %o43, i32 14
%o45 = extractelement <32 x ptr> %at, i32 15
%o46 = load i32, ptr %o45, align 4, !tbaa !6
%o47 = insertelement <32 x i32> %o44, i32 %o46, i32 15
%o48 = extractelement <32 x ptr> %at, i32 16
%o49 = load i32, ptr %o48, align 4, !tbaa !6
%o50 = insertelement <32 x i32> %o47, i32 %o49, i32 16
%o51 = extractelement <32 x ptr> %at, i32 17
%o52 = load i32, ptr %o51, align 4, !tbaa !6
%o53 = insertelement <32 x i32> %o50, i32 %o52, i32 17
%o54 = extractelement <32 x ptr> %at, i32 18
%o55 = load i32, ptr %o54, align 4, !tbaa !6
%o56 = insertelement <32 x i32> %o53, i32 %o55, i32 18
%o57 = extractelement <32 x ptr> %at, i32 19
%o58 = load i32, ptr %o57, align 4, !tbaa !6
%o59 = insertelement <32 x i32> %o56, i32 %o58, i32 19
%o60 = extractelement <32 x ptr> %at, i32 20
%o61 = load i32, ptr %o60, align 4, !tbaa !6
%o62 = insertelement <32 x i32> %o59, i32 %o61, i32 20
%o63 = extractelement <32 x ptr> %at, i32 21
%o64 = load i32, ptr %o63, align 4, !tbaa !6
%o65 = insertelement <32 x i32> %o62, i32 %o64, i32 21
%o66 = extractelement <32 x ptr> %at, i32 22
%o67 = load i32, ptr %o66, align 4, !tbaa !6
%o68 = insertelement <32 x i32> %o65, i32 %o67, i32 22
%o69 = extractelement <32 x ptr> %at, i32 23
%o70 = load i32, ptr %o69, align 4, !tbaa !6
%o71 = insertelement <32 x i32> %o68, i32 %o70, i32 23
%o72 = extractelement <32 x ptr> %at, i32 24
%o73 = load i32, ptr %o72, align 4, !tbaa !6
%o74 = insertelement <32 x i32> %o71, i32 %o73, i32 24
%o75 = extractelement <32 x ptr> %at, i32 25
%o76 = load i32, ptr %o75, align 4, !tbaa !6
%o77 = insertelement <32 x i32> %o74, i32 %o76, i32 25
%o78 = extractelement <32 x ptr> %at, i32 26
%o79 = load i32, ptr %o78, align 4, !tbaa !6
%o80 = insertelement <32 x i32> %o77, i32 %o79, i32 26
%o81 = extractelement <32 x ptr> %at, i32 27
%o82 = load i32, ptr %o81, align 4, !tbaa !6
%o83 = insertelement <32 x i32> %o80, i32 %o82, i32 27
%o84 = extractelement <32 x ptr> %at, i32 28
%o85 = load i32, ptr %o84, align 4, !tbaa !6
%o86 = insertelement <32 x i32> %o83, i32 %o85, i32 28
%o87 = extractelement <32 x ptr> %at, i32 29
%o88 = load i32, ptr %o87, align 4, !tbaa !6
%o89 = insertelement <32 x i32> %o86, i32 %o88, i32 29
%o90 = extractelement <32 x ptr> %at, i32 30
%o91 = load i32, ptr %o90, align 4, !tbaa !6
%o92 = insertelement <32 x i32> %o89, i32 %o91, i32 30
%o93 = extractelement <32 x ptr> %at, i32 31
%o94 = load i32, ptr %o93, align 4, !tbaa !6
%o95 = insertelement <32 x i32> %o92, i32 %o94, i32 31
ret <32 x i32> %o95
part:
%r = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %at, <32 x i1> %mask, <32 x i32> zeroinitializer), !tbaa !6
ret <32 x i32> %r
}

define { <32 x i32>, i1 } @openptx.shared.lanes.6b21c8f4fbac883b(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%v0 = insertelement <32 x i64> poison, i64 %start, i32 0
%v1 = shufflevector <32 x i64> %v0, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v2 = sub <32 x i64> %places, %v1
%v3 = insertelement <32 x i64> poison, i64 %room, i32 0
%v4 = shufflevector <32 x i64> %v3, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v5 = icmp uge <32 x i64> %v2, %v4
%v6 = and <32 x i64> %places, splat (i64 3)
%v7 = icmp ne <32 x i64> %v6, zeroinitializer
%v8 = or <32 x i1> %v5, %v7
%v9 = and <32 x i1> %v8, %mask
%v10 = bitcast <32 x i1> %v9 to i32
%v11 = icmp eq i32 %v10, 0
br i1 %v11, label %fast, label %slow, !prof !1
fast:
%v12 = shufflevector <32 x i64> %places, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v13 = add <32 x i64> %v12, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
%v14 = icmp eq <32 x i64> %places, %v13
%v15 = bitcast <32 x i1> %v14 to i32
%v16 = and i32 %v15, %lanes
%v17 = icmp eq i32 %v16, -1
br i1 %v17, label %rows, label %each
rows:
%v18 = extractelement <32 x i64> %places, i32 0
%v19 = extractelement <32 x i64> %places, i32 16
%v20 = add i64 %v18, %host
%v21 = inttoptr i64 %v20 to ptr
%v22 = add i64 %v19, %host
%v23 = inttoptr i64 %v22 to ptr
%v24 = load <16 x i32>, ptr %v21, align 4, !tbaa !6
%v25 = load <16 x i32>, ptr %v23, align 4, !tbaa !6
%v26 = shufflevector <16 x i32> %v24, <16 x i32> %v25, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%v27 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %v26, 0
%v28 = insertvalue { <32 x i32>, i1 } %v27, i1 false, 1
ret { <32 x i32>, i1 } %v28
each:
%v29 = insertelement <32 x i64> poison, i64 %host, i32 0
%v30 = shufflevector <32 x i64> %v29, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v31 = add <32 x i64> %places, %v30
%v32 = inttoptr <32 x i64> %v31 to <32 x ptr>
%v33 = getelementptr i8, <32 x ptr> %v32, i64 0
%v34 = call <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %v33, i32 %lanes)
%v35 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %v34, 0
%v36 = insertvalue { <32 x i32>, i1 } %v35, i1 false, 1
ret { <32 x i32>, i1 } %v36
slow:
%v37 = mul i32 %warp, 32
%first = zext i32 %v37 to i64
%v38 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %places, ptr %v38, align 64, !tbaa !5
%v39 = getelementptr i8, ptr %w, i64 1280
%wide = zext i32 %lanes to i64
%v40 = call i1 @openptx.load(ptr %w, i64 %wide, i64 %what, i64 %first, i64 %locals)
%v41 = load volatile <32 x i32>, ptr %v39, align 4, !tbaa !5
%v42 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %v41, 0
%v43 = insertvalue { <32 x i32>, i1 } %v42, i1 %v40, 1
ret { <32 x i32>, i1 } %v43
}

define i1 @openptx.shared.lanes.ec1c3e9ac5fb5f13(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places, <32 x i32> %value0) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%v0 = insertelement <32 x i64> poison, i64 %start, i32 0
%v1 = shufflevector <32 x i64> %v0, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v2 = sub <32 x i64> %places, %v1
%v3 = insertelement <32 x i64> poison, i64 %room, i32 0
%v4 = shufflevector <32 x i64> %v3, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v5 = icmp uge <32 x i64> %v2, %v4
%v6 = and <32 x i64> %places, splat (i64 3)
%v7 = icmp ne <32 x i64> %v6, zeroinitializer
%v8 = or <32 x i1> %v5, %v7
%v9 = and <32 x i1> %v8, %mask
%v10 = bitcast <32 x i1> %v9 to i32
%v11 = icmp eq i32 %v10, 0
br i1 %v11, label %fast, label %slow, !prof !1
fast:
%v12 = shufflevector <32 x i64> %places, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%v13 = add <32 x i64> %v12, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
%v14 = icmp eq <32 x i64> %places, %v13
%v15 = bitcast <32 x i1> %v14 to i32
%v16 = and i32 %v15, %lanes
%v17 = icmp eq i32 %v16, -1
br i1 %v17, label %rows, label %each
rows:
%v18 = extractelement <32 x i64> %places, i32 0
%v19 = extractelement <32 x i64> %places, i32 16
%v20 = add i64 %v18, %host
%v21 = inttoptr i64 %v20 to ptr
%v22 = add i64 %v19, %host
%v23 = inttoptr i64 %v22 to ptr
%v24 = shufflevector <32 x i32> %value0, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
store <16 x i32> %v24, ptr %v21, align 4, !tbaa !6
%v25 = shufflevector <32 x i32> %value0, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
store <16 x i32> %v25, ptr %v23, align 4, !tbaa !6
ret i1 false
each:
%v26 = insertelement <32 x i64> poison, i64 %host, i32 0
%v27 = shufflevector <32 x i64> %v26, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v28 = add <32 x i64> %places, %v27
%v29 = inttoptr <32 x i64> %v28 to <32 x ptr>
%v30 = getelementptr i8, <32 x ptr> %v29, i64 0
call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %value0, <32 x ptr> align 4 %v30, <32 x i1> %mask), !tbaa !6
ret i1 false
slow:
%v31 = mul i32 %warp, 32
%first = zext i32 %v31 to i64
%v32 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %places, ptr %v32, align 64, !tbaa !5
%v33 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %value0, ptr %v33, align 4, !tbaa !5
%wide = zext i32 %lanes to i64
%v34 = call i1 @openptx.store(ptr %w, i64 %wide, i64 %what, i64 %first, i64 %locals)
ret i1 %v34
}

define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r1 = alloca i64, align 64
%r6 = alloca <32 x i64>, align 64
%r7 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 16384, ptr %fuel, align 4
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
%v10 = getelementptr i8, ptr %v7, i64 8
%v11 = load i64, ptr %v10, align 8, !tbaa !5
%v12 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v9, i64 4, i64 1, ptr %v12)
%v13 = getelementptr i8, ptr %v12, i64 0
%v14 = getelementptr i8, ptr %v12, i64 8
%v15 = getelementptr i8, ptr %v12, i64 16
%v16 = getelementptr i8, ptr %v12, i64 24
%v17 = load i64, ptr %v13, align 8, !tbaa !5
%v18 = load i64, ptr %v14, align 8, !tbaa !5
%v19 = load i64, ptr %v15, align 8, !tbaa !5
%v20 = load i64, ptr %v16, align 8, !tbaa !5
%v21 = inttoptr i64 %v20 to ptr
%v22 = sub i64 %v9, %v17
%v23 = sub i64 %v18, 127
%v24 = call i64 @llvm.smax.i64(i64 %v23, i64 0)
%v25 = add i64 %v24, 3
%v26 = lshr i64 %v25, 2
%v27 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v9, i64 1, i64 1, ptr %v27)
%v28 = getelementptr i8, ptr %v27, i64 0
%v29 = getelementptr i8, ptr %v27, i64 8
%v30 = getelementptr i8, ptr %v27, i64 16
%v31 = getelementptr i8, ptr %v27, i64 32
%v32 = load i64, ptr %v28, align 8, !tbaa !5
%v33 = load i64, ptr %v29, align 8, !tbaa !5
%v34 = load i64, ptr %v30, align 8, !tbaa !5
%v35 = load i64, ptr %v31, align 8, !tbaa !5
%v36 = sub i64 %v33, 3
%v37 = call i64 @llvm.smax.i64(i64 %v36, i64 0)
%v38 = alloca [5 x i64], align 8
call void @openptx.row(ptr %w, i64 %v11, i64 1, i64 1, ptr %v38)
%v39 = getelementptr i8, ptr %v38, i64 0
%v40 = getelementptr i8, ptr %v38, i64 8
%v41 = getelementptr i8, ptr %v38, i64 16
%v42 = getelementptr i8, ptr %v38, i64 32
%v43 = load i64, ptr %v39, align 8, !tbaa !5
%v44 = load i64, ptr %v40, align 8, !tbaa !5
%v45 = load i64, ptr %v41, align 8, !tbaa !5
%v46 = load i64, ptr %v42, align 8, !tbaa !5
%v47 = sub i64 %v45, 3
%v48 = call i64 @llvm.smax.i64(i64 %v47, i64 0)
%v49 = sub i64 %v34, 3
%v50 = call i64 @llvm.smax.i64(i64 %v49, i64 0)
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
%v51 = zext i32 %first32 to i64
%v52 = mul i64 %v51, 4
%v53 = add i64 %v9, %v52
%v54 = sub i64 %v53, %v9
%v55 = add i64 %v22, %v54
%v56 = call i64 @llvm.fshr.i64(i64 %v55, i64 %v55, i64 2)
%v57 = icmp ult i64 %v56, %v26
br i1 %v57, label %b58, label %b59, !prof !1
b58:
%v60 = getelementptr i8, ptr %v21, i64 %v55
%v61 = load <32 x i32>, ptr %v60, align 4, !tbaa !6
br label %b62
b59:
%v63 = add i64 %v17, %v55
%v64 = zext i32 -1 to i64
%v65 = call i1 @openptx.load_span(ptr %w, i64 %v64, i64 21474903041, i64 %first, i64 0, i64 %v63, ptr @span.0)
br i1 %v65, label %failed, label %b66, !prof !0
b66:
%v67 = getelementptr i8, ptr %w, i64 1280
%v68 = load volatile <32 x i32>, ptr %v67, align 4, !tbaa !5
br label %b62
b62:
%v69 = phi <32 x i32> [%v61, %b58], [%v68, %b66]
%v70 = zext <32 x i32> %v69 to <32 x i64>
%v71 = mul <32 x i64> %v70, splat (i64 4)
%v72 = insertelement <32 x i64> poison, i64 %v9, i32 0
%v73 = shufflevector <32 x i64> %v72, <32 x i64> poison, <32 x i32> zeroinitializer
%v74 = add <32 x i64> %v73, %v71
%v75 = call { <32 x i32>, i1 } @openptx.shared.lanes.6b21c8f4fbac883b(ptr %w, i32 -1, i64 %v32, i64 %v37, i64 %v35, i32 %index, i64 0, i64 34359804929, <32 x i64> %v74)
%v76 = extractvalue { <32 x i32>, i1 } %v75, 1
br i1 %v76, label %failed, label %b77, !prof !0
b77:
%v78 = extractvalue { <32 x i32>, i1 } %v75, 0
store i64 %v11, ptr %r1, align 4
store <32 x i64> %v74, ptr %r6, align 4
store <32 x i32> %v78, ptr %r7, align 4
br label %block1
block1:
; 9
%v79 = load <32 x i32>, ptr %r7, align 4
%v80 = shufflevector <32 x i32> %v79, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30>
%v81 = uitofp <32 x i32> %v80 to <32 x float>
%v82 = call <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float> %v81)
%v83 = icmp ne <32 x i32> %v82, zeroinitializer
%v84 = xor <32 x i1> %v83, splat (i1 true)
%v85 = bitcast <32 x i1> %v83 to i32
%v86 = icmp ne i32 %v85, 0
br i1 %v86, label %b87, label %b88
b87:
%v89 = load i64, ptr %r1, align 4
%v90 = select <32 x i1> %v83, <32 x i32> %v82, <32 x i32> zeroinitializer
%v91 = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %v90)
%v92 = insertelement <32 x i64> poison, i64 %v89, i32 0
%v93 = shufflevector <32 x i64> %v92, <32 x i64> poison, <32 x i32> zeroinitializer
%v94 = insertelement <32 x i64> poison, i64 %v43, i32 0
%v95 = shufflevector <32 x i64> %v94, <32 x i64> poison, <32 x i32> zeroinitializer
%v96 = sub <32 x i64> %v93, %v95
%v97 = insertelement <32 x i64> poison, i64 %v48, i32 0
%v98 = shufflevector <32 x i64> %v97, <32 x i64> poison, <32 x i32> zeroinitializer
%v99 = icmp uge <32 x i64> %v96, %v98
%v100 = and <32 x i64> %v93, splat (i64 3)
%v101 = icmp ne <32 x i64> %v100, zeroinitializer
%v102 = or <32 x i1> %v99, %v101
%v103 = and <32 x i1> %v102, %v83
%v104 = bitcast <32 x i1> %v103 to i32
%v105 = icmp ne i32 %v104, 0
br i1 %v105, label %b106, label %b107, !prof !0
b106:
%v108 = insertelement <32 x i64> poison, i64 %v89, i32 0
%v109 = shufflevector <32 x i64> %v108, <32 x i64> poison, <32 x i32> zeroinitializer
%v110 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v109, ptr %v110, align 64, !tbaa !5
%v111 = bitcast <32 x i1> %v83 to i32
%v112 = zext i32 %v111 to i64
%v113 = call i1 @openptx.places(ptr %w, i64 %v112, i64 55834641409, i64 %first, i64 0)
br i1 %v113, label %failed, label %b114, !prof !0
b114:
%v115 = getelementptr i8, ptr %w, i64 1024
%v116 = load volatile <32 x ptr>, ptr %v115, align 64, !tbaa !5
br label %b117
b107:
%v118 = insertelement <32 x i64> poison, i64 %v46, i32 0
%v119 = shufflevector <32 x i64> %v118, <32 x i64> poison, <32 x i32> zeroinitializer
%v120 = add <32 x i64> %v93, %v119
%v121 = inttoptr <32 x i64> %v120 to <32 x ptr>
br label %b117
b117:
%v122 = phi <32 x ptr> [%v116, %b114], [%v121, %b107]
%v123 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v122, ptr %v123, align 64, !tbaa !5
%v124 = bitcast <32 x i1> %v83 to i32
%v125 = call i32 @llvm.cttz.i32(i32 %v124, i1 false)
%v126 = getelementptr i8, ptr %w, i64 1024
%v127 = getelementptr i64, ptr %v126, i32 %v125
%v128 = load volatile ptr, ptr %v127, align 8, !tbaa !5
%v129 = load i32, ptr %v128, align 4, !tbaa !6
%v130 = add i32 %v129, %v91
store i32 %v130, ptr %v128, align 4, !tbaa !6
br label %b88
b88:
%v131 = load <32 x i64>, ptr %r6, align 4
%v132 = call i1 @openptx.shared.lanes.ec1c3e9ac5fb5f13(ptr %w, i32 -1, i64 %v32, i64 %v50, i64 %v35, i32 %index, i64 0, i64 60129608705, <32 x i64> %v131, <32 x i32> %v82)
br i1 %v132, label %failed, label %b133, !prof !0
b133:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v134 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v134, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v135 = icmp ult i32 %next, 2
br i1 %v135, label %ready, label %rest
rest:
%v136 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v136, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}
