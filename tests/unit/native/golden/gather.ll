define <32 x i32> @openptx.shared.gather.df83da5da61f27d5(ptr %w, <32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
entry:
%v0 = icmp eq i32 %lanes, -1
br i1 %v0, label %whole, label %part
whole:
%v1 = extractelement <32 x ptr> %at, i32 0
%v2 = load i32, ptr %v1, align 4, !tbaa !6
%v3 = insertelement <32 x i32> poison, i32 %v2, i32 0
%v4 = extractelement <32 x ptr> %at, i32 1
%v5 = load i32, ptr %v4, align 4, !tbaa !6
%v6 = insertelement <32 x i32> %v3, i32 %v5, i32 1
%v7 = extractelement <32 x ptr> %at, i32 2
%v8 = load i32, ptr %v7, align 4, !tbaa !6
%v9 = insertelement <32 x i32> %v6, i32 %v8, i32 2
%v10 = extractelement <32 x ptr> %at, i32 3
%v11 = load i32, ptr %v10, align 4, !tbaa !6
%v12 = insertelement <32 x i32> %v9, i32 %v11, i32 3
%v13 = extractelement <32 x ptr> %at, i32 4
%v14 = load i32, ptr %v13, align 4, !tbaa !6
%v15 = insertelement <32 x i32> %v12, i32 %v14, i32 4
%v16 = extractelement <32 x ptr> %at, i32 5
%v17 = load i32, ptr %v16, align 4, !tbaa !6
%v18 = insertelement <32 x i32> %v15, i32 %v17, i32 5
%v19 = extractelement <32 x ptr> %at, i32 6
%v20 = load i32, ptr %v19, align 4, !tbaa !6
%v21 = insertelement <32 x i32> %v18, i32 %v20, i32 6
%v22 = extractelement <32 x ptr> %at, i32 7
%v23 = load i32, ptr %v22, align 4, !tbaa !6
%v24 = insertelement <32 x i32> %v21, i32 %v23, i32 7
%v25 = extractelement <32 x ptr> %at, i32 8
%v26 = load i32, ptr %v25, align 4, !tbaa !6
%v27 = insertelement <32 x i32> %v24, i32 %v26, i32 8
%v28 = extractelement <32 x ptr> %at, i32 9
%v29 = load i32, ptr %v28, align 4, !tbaa !6
%v30 = insertelement <32 x i32> %v27, i32 %v29, i32 9
%v31 = extractelement <32 x ptr> %at, i32 10
%v32 = load i32, ptr %v31, align 4, !tbaa !6
%v33 = insertelement <32 x i32> %v30, i32 %v32, i32 10
%v34 = extractelement <32 x ptr> %at, i32 11
%v35 = load i32, ptr %v34, align 4, !tbaa !6
%v36 = insertelement <32 x i32> %v33, i32 %v35, i32 11
%v37 = extractelement <32 x ptr> %at, i32 12
%v38 = load i32, ptr %v37, align 4, !tbaa !6
%v39 = insertelement <32 x i32> %v36, i32 %v38, i32 12
%v40 = extractelement <32 x ptr> %at, i32 13
%v41 = load i32, ptr %v40, align 4, !tbaa !6
%v42 = insertelement <32 x i32> %v39, i32 %v41, i32 13
%v43 = extractelement <32 x ptr> %at, i32 14
%v44 = load i32, ptr %v43, align 4, !tbaa !6
%v45 = insertelement <32 x i32> %v42, i32 %v44, i32 14
%v46 = extractelement <32 x ptr> %at, i32 15
%v47 = load i32, ptr %v46, align 4, !tbaa !6
%v48 = insertelement <32 x i32> %v45, i32 %v47, i32 15
%v49 = extractelement <32 x ptr> %at, i32 16
%v50 = load i32, ptr %v49, align 4, !tbaa !6
%v51 = insertelement <32 x i32> %v48, i32 %v50, i32 16
%v52 = extractelement <32 x ptr> %at, i32 17
%v53 = load i32, ptr %v52, align 4, !tbaa !6
%v54 = insertelement <32 x i32> %v51, i32 %v53, i32 17
%v55 = extractelement <32 x ptr> %at, i32 18
%v56 = load i32, ptr %v55, align 4, !tbaa !6
%v57 = insertelement <32 x i32> %v54, i32 %v56, i32 18
%v58 = extractelement <32 x ptr> %at, i32 19
%v59 = load i32, ptr %v58, align 4, !tbaa !6
%v60 = insertelement <32 x i32> %v57, i32 %v59, i32 19
%v61 = extractelement <32 x ptr> %at, i32 20
%v62 = load i32, ptr %v61, align 4, !tbaa !6
%v63 = insertelement <32 x i32> %v60, i32 %v62, i32 20
%v64 = extractelement <32 x ptr> %at, i32 21
%v65 = load i32, ptr %v64, align 4, !tbaa !6
%v66 = insertelement <32 x i32> %v63, i32 %v65, i32 21
%v67 = extractelement <32 x ptr> %at, i32 22
%v68 = load i32, ptr %v67, align 4, !tbaa !6
%v69 = insertelement <32 x i32> %v66, i32 %v68, i32 22
%v70 = extractelement <32 x ptr> %at, i32 23
%v71 = load i32, ptr %v70, align 4, !tbaa !6
%v72 = insertelement <32 x i32> %v69, i32 %v71, i32 23
%v73 = extractelement <32 x ptr> %at, i32 24
%v74 = load i32, ptr %v73, align 4, !tbaa !6
%v75 = insertelement <32 x i32> %v72, i32 %v74, i32 24
%v76 = extractelement <32 x ptr> %at, i32 25
%v77 = load i32, ptr %v76, align 4, !tbaa !6
%v78 = insertelement <32 x i32> %v75, i32 %v77, i32 25
%v79 = extractelement <32 x ptr> %at, i32 26
%v80 = load i32, ptr %v79, align 4, !tbaa !6
%v81 = insertelement <32 x i32> %v78, i32 %v80, i32 26
%v82 = extractelement <32 x ptr> %at, i32 27
%v83 = load i32, ptr %v82, align 4, !tbaa !6
%v84 = insertelement <32 x i32> %v81, i32 %v83, i32 27
%v85 = extractelement <32 x ptr> %at, i32 28
%v86 = load i32, ptr %v85, align 4, !tbaa !6
%v87 = insertelement <32 x i32> %v84, i32 %v86, i32 28
%v88 = extractelement <32 x ptr> %at, i32 29
%v89 = load i32, ptr %v88, align 4, !tbaa !6
%v90 = insertelement <32 x i32> %v87, i32 %v89, i32 29
%v91 = extractelement <32 x ptr> %at, i32 30
%v92 = load i32, ptr %v91, align 4, !tbaa !6
%v93 = insertelement <32 x i32> %v90, i32 %v92, i32 30
%v94 = extractelement <32 x ptr> %at, i32 31
%v95 = load i32, ptr %v94, align 4, !tbaa !6
%v96 = insertelement <32 x i32> %v93, i32 %v95, i32 31
ret <32 x i32> %v96
part:
%v97 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %at, ptr %v97, align 64, !tbaa !5
%v98 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> zeroinitializer, ptr %v98, align 64, !tbaa !5
br label %b99
b99:
%v100 = phi i32 [ %lanes, %part ], [ %v101, %b102 ]
%v103 = icmp eq i32 %v100, 0
br i1 %v103, label %b104, label %b102
b102:
%v105 = call i32 @llvm.cttz.i32(i32 %v100, i1 true)
%v106 = getelementptr i64, ptr %v97, i32 %v105
%v107 = load ptr, ptr %v106, align 8, !tbaa !5
%v108 = load i32, ptr %v107, align 4, !tbaa !6
%v109 = getelementptr i32, ptr %v98, i32 %v105
store i32 %v108, ptr %v109, align 4, !tbaa !5
%v110 = sub i32 %v100, 1
%v101 = and i32 %v100, %v110
br label %b99
b104:
%v111 = load <32 x i32>, ptr %v98, align 64, !tbaa !5
ret <32 x i32> %v111
}

define { <32 x i32>, i1 } @openptx.shared.lanes.71b0ef7937b60bcd(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places) noinline nounwind #0 {
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
%v9 = bitcast <32 x i1> %v8 to i32
%v10 = and i32 %v9, %lanes
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
%v34 = call <32 x i32> @openptx.shared.gather.df83da5da61f27d5(ptr %w, <32 x ptr> %v33, i32 %lanes)
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

define i1 @openptx.shared.lanes.d6fb61389cc04248(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places, <32 x i32> %value0) noinline nounwind #0 {
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
%v9 = bitcast <32 x i1> %v8 to i32
%v10 = and i32 %v9, %lanes
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
%v75 = call { <32 x i32>, i1 } @openptx.shared.lanes.71b0ef7937b60bcd(ptr %w, i32 -1, i64 %v32, i64 %v37, i64 %v35, i32 %index, i64 0, i64 34359804929, <32 x i64> %v74)
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
%v132 = call i1 @openptx.shared.lanes.d6fb61389cc04248(ptr %w, i32 -1, i64 %v32, i64 %v50, i64 %v35, i32 %index, i64 0, i64 60129608705, <32 x i64> %v131, <32 x i32> %v82)
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
