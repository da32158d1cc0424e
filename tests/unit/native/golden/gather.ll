define <32 x i32> @openptx.shared.gather.48383bd50cfeeb4a(ptr %w, <32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
entry:
%v0 = icmp eq i32 %lanes, -1
br i1 %v0, label %whole, label %part
whole:
%v1 = extractelement <32 x ptr> %at, i32 0
%v2 = load i32, ptr %v1, align 4, !tbaa !6
%v3 = extractelement <32 x ptr> %at, i32 1
%v4 = load i32, ptr %v3, align 4, !tbaa !6
%v5 = extractelement <32 x ptr> %at, i32 2
%v6 = load i32, ptr %v5, align 4, !tbaa !6
%v7 = extractelement <32 x ptr> %at, i32 3
%v8 = load i32, ptr %v7, align 4, !tbaa !6
%v9 = extractelement <32 x ptr> %at, i32 4
%v10 = load i32, ptr %v9, align 4, !tbaa !6
%v11 = extractelement <32 x ptr> %at, i32 5
%v12 = load i32, ptr %v11, align 4, !tbaa !6
%v13 = extractelement <32 x ptr> %at, i32 6
%v14 = load i32, ptr %v13, align 4, !tbaa !6
%v15 = extractelement <32 x ptr> %at, i32 7
%v16 = load i32, ptr %v15, align 4, !tbaa !6
%v17 = extractelement <32 x ptr> %at, i32 8
%v18 = load i32, ptr %v17, align 4, !tbaa !6
%v19 = extractelement <32 x ptr> %at, i32 9
%v20 = load i32, ptr %v19, align 4, !tbaa !6
%v21 = extractelement <32 x ptr> %at, i32 10
%v22 = load i32, ptr %v21, align 4, !tbaa !6
%v23 = extractelement <32 x ptr> %at, i32 11
%v24 = load i32, ptr %v23, align 4, !tbaa !6
%v25 = extractelement <32 x ptr> %at, i32 12
%v26 = load i32, ptr %v25, align 4, !tbaa !6
%v27 = extractelement <32 x ptr> %at, i32 13
%v28 = load i32, ptr %v27, align 4, !tbaa !6
%v29 = extractelement <32 x ptr> %at, i32 14
%v30 = load i32, ptr %v29, align 4, !tbaa !6
%v31 = extractelement <32 x ptr> %at, i32 15
%v32 = load i32, ptr %v31, align 4, !tbaa !6
%v33 = extractelement <32 x ptr> %at, i32 16
%v34 = load i32, ptr %v33, align 4, !tbaa !6
%v35 = extractelement <32 x ptr> %at, i32 17
%v36 = load i32, ptr %v35, align 4, !tbaa !6
%v37 = extractelement <32 x ptr> %at, i32 18
%v38 = load i32, ptr %v37, align 4, !tbaa !6
%v39 = extractelement <32 x ptr> %at, i32 19
%v40 = load i32, ptr %v39, align 4, !tbaa !6
%v41 = extractelement <32 x ptr> %at, i32 20
%v42 = load i32, ptr %v41, align 4, !tbaa !6
%v43 = extractelement <32 x ptr> %at, i32 21
%v44 = load i32, ptr %v43, align 4, !tbaa !6
%v45 = extractelement <32 x ptr> %at, i32 22
%v46 = load i32, ptr %v45, align 4, !tbaa !6
%v47 = extractelement <32 x ptr> %at, i32 23
%v48 = load i32, ptr %v47, align 4, !tbaa !6
%v49 = extractelement <32 x ptr> %at, i32 24
%v50 = load i32, ptr %v49, align 4, !tbaa !6
%v51 = extractelement <32 x ptr> %at, i32 25
%v52 = load i32, ptr %v51, align 4, !tbaa !6
%v53 = extractelement <32 x ptr> %at, i32 26
%v54 = load i32, ptr %v53, align 4, !tbaa !6
%v55 = extractelement <32 x ptr> %at, i32 27
%v56 = load i32, ptr %v55, align 4, !tbaa !6
%v57 = extractelement <32 x ptr> %at, i32 28
%v58 = load i32, ptr %v57, align 4, !tbaa !6
%v59 = extractelement <32 x ptr> %at, i32 29
%v60 = load i32, ptr %v59, align 4, !tbaa !6
%v61 = extractelement <32 x ptr> %at, i32 30
%v62 = load i32, ptr %v61, align 4, !tbaa !6
%v63 = extractelement <32 x ptr> %at, i32 31
%v64 = load i32, ptr %v63, align 4, !tbaa !6
%v65 = insertelement <4 x i32> poison, i32 %v2, i32 0
%v66 = insertelement <4 x i32> %v65, i32 %v4, i32 1
%v67 = insertelement <4 x i32> %v66, i32 %v6, i32 2
%v68 = insertelement <4 x i32> %v67, i32 %v8, i32 3
%v69 = insertelement <4 x i32> poison, i32 %v10, i32 0
%v70 = insertelement <4 x i32> %v69, i32 %v12, i32 1
%v71 = insertelement <4 x i32> %v70, i32 %v14, i32 2
%v72 = insertelement <4 x i32> %v71, i32 %v16, i32 3
%v73 = insertelement <4 x i32> poison, i32 %v18, i32 0
%v74 = insertelement <4 x i32> %v73, i32 %v20, i32 1
%v75 = insertelement <4 x i32> %v74, i32 %v22, i32 2
%v76 = insertelement <4 x i32> %v75, i32 %v24, i32 3
%v77 = insertelement <4 x i32> poison, i32 %v26, i32 0
%v78 = insertelement <4 x i32> %v77, i32 %v28, i32 1
%v79 = insertelement <4 x i32> %v78, i32 %v30, i32 2
%v80 = insertelement <4 x i32> %v79, i32 %v32, i32 3
%v81 = insertelement <4 x i32> poison, i32 %v34, i32 0
%v82 = insertelement <4 x i32> %v81, i32 %v36, i32 1
%v83 = insertelement <4 x i32> %v82, i32 %v38, i32 2
%v84 = insertelement <4 x i32> %v83, i32 %v40, i32 3
%v85 = insertelement <4 x i32> poison, i32 %v42, i32 0
%v86 = insertelement <4 x i32> %v85, i32 %v44, i32 1
%v87 = insertelement <4 x i32> %v86, i32 %v46, i32 2
%v88 = insertelement <4 x i32> %v87, i32 %v48, i32 3
%v89 = insertelement <4 x i32> poison, i32 %v50, i32 0
%v90 = insertelement <4 x i32> %v89, i32 %v52, i32 1
%v91 = insertelement <4 x i32> %v90, i32 %v54, i32 2
%v92 = insertelement <4 x i32> %v91, i32 %v56, i32 3
%v93 = insertelement <4 x i32> poison, i32 %v58, i32 0
%v94 = insertelement <4 x i32> %v93, i32 %v60, i32 1
%v95 = insertelement <4 x i32> %v94, i32 %v62, i32 2
%v96 = insertelement <4 x i32> %v95, i32 %v64, i32 3
%v97 = shufflevector <4 x i32> %v68, <4 x i32> %v72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
%v98 = shufflevector <4 x i32> %v76, <4 x i32> %v80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
%v99 = shufflevector <4 x i32> %v84, <4 x i32> %v88, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
%v100 = shufflevector <4 x i32> %v92, <4 x i32> %v96, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
%v101 = shufflevector <8 x i32> %v97, <8 x i32> %v98, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
%v102 = shufflevector <8 x i32> %v99, <8 x i32> %v100, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
%v103 = shufflevector <16 x i32> %v101, <16 x i32> %v102, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
ret <32 x i32> %v103
part:
%v104 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %at, ptr %v104, align 64, !tbaa !5
%v105 = call i32 @llvm.ctpop.i32(i32 %lanes)
%v106 = sub i32 %v105, 1
%v107 = icmp ult i32 %v106, 4
br i1 %v107, label %b108, label %b109
b108:
br label %b110
b110:
%v111 = phi i32 [ %lanes, %b108 ], [ %v112, %b110 ]
%v113 = phi <32 x i32> [ zeroinitializer, %b108 ], [ %v114, %b110 ]
%v115 = call i32 @llvm.cttz.i32(i32 %v111, i1 true)
%v116 = getelementptr i64, ptr %v104, i32 %v115
%v117 = load ptr, ptr %v116, align 8, !tbaa !5
%v118 = load i32, ptr %v117, align 4, !tbaa !6
%v119 = insertelement <32 x i32> poison, i32 %v118, i32 0
%v120 = shufflevector <32 x i32> %v119, <32 x i32> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v121 = sub i32 %v111, 1
%v112 = and i32 %v111, %v121
%v122 = bitcast i32 %v111 to <32 x i1>
%v114 = select <32 x i1> %v122, <32 x i32> %v120, <32 x i32> %v113
%v123 = icmp eq i32 %v112, 0
br i1 %v123, label %b124, label %b110
b124:
br label %b125
b109:
%v126 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> zeroinitializer, ptr %v126, align 64, !tbaa !5
br label %b127
b127:
%v128 = phi i32 [ %lanes, %b109 ], [ %v129, %b130 ]
%v131 = icmp eq i32 %v128, 0
br i1 %v131, label %b132, label %b130
b130:
%v133 = call i32 @llvm.cttz.i32(i32 %v128, i1 true)
%v134 = getelementptr i64, ptr %v104, i32 %v133
%v135 = load ptr, ptr %v134, align 8, !tbaa !5
%v136 = load i32, ptr %v135, align 4, !tbaa !6
%v137 = getelementptr i32, ptr %v126, i32 %v133
store i32 %v136, ptr %v137, align 4, !tbaa !5
%v138 = sub i32 %v128, 1
%v129 = and i32 %v128, %v138
br label %b127
b132:
%v139 = load <32 x i32>, ptr %v126, align 64, !tbaa !5
br label %b125
b125:
%v140 = phi <32 x i32> [%v114, %b124], [%v139, %b132]
ret <32 x i32> %v140
}

define { <32 x i32>, i1 } @openptx.shared.lanes.b6ed03ebf056fe27(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places) noinline nounwind #0 {
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
%v34 = call <32 x i32> @openptx.shared.gather.48383bd50cfeeb4a(ptr %w, <32 x ptr> %v33, i32 %lanes)
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

define i1 @openptx.shared.lanes.0d6db48500a2e352(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i32 %warp, i64 %locals, i64 %what, <32 x i64> %places, <32 x i32> %value0) noinline nounwind #0 {
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
%v26 = call i32 @llvm.ctpop.i32(i32 %lanes)
%v27 = icmp ule i32 %v26, 4
br i1 %v27, label %few, label %many
few:
%v28 = insertelement <32 x i64> poison, i64 %host, i32 0
%v29 = shufflevector <32 x i64> %v28, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v30 = add <32 x i64> %places, %v29
%v31 = inttoptr <32 x i64> %v30 to <32 x ptr>
%v32 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v31, ptr %v32, align 64, !tbaa !5
%v33 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %value0, ptr %v33, align 64, !tbaa !5
br label %b34
b34:
%v35 = phi i32 [ %lanes, %few ], [ %v36, %b37 ]
%v38 = icmp eq i32 %v35, 0
br i1 %v38, label %b39, label %b37
b37:
%v40 = call i32 @llvm.cttz.i32(i32 %v35, i1 true)
%v41 = getelementptr i32, ptr %v33, i32 %v40
%v42 = load i32, ptr %v41, align 4, !tbaa !5
%v43 = getelementptr i64, ptr %v32, i32 %v40
%v44 = load ptr, ptr %v43, align 8, !tbaa !5
store i32 %v42, ptr %v44, align 4, !tbaa !6
%v45 = sub i32 %v35, 1
%v36 = and i32 %v35, %v45
br label %b34
b39:
ret i1 false
many:
%v46 = insertelement <32 x i64> poison, i64 %host, i32 0
%v47 = shufflevector <32 x i64> %v46, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
%v48 = add <32 x i64> %places, %v47
%v49 = inttoptr <32 x i64> %v48 to <32 x ptr>
%v50 = getelementptr i8, <32 x ptr> %v49, i64 0
call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %value0, <32 x ptr> align 4 %v50, <32 x i1> %mask), !tbaa !6
ret i1 false
slow:
%v51 = mul i32 %warp, 32
%first = zext i32 %v51 to i64
%v52 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %places, ptr %v52, align 64, !tbaa !5
%v53 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %value0, ptr %v53, align 4, !tbaa !5
%wide = zext i32 %lanes to i64
%v54 = call i1 @openptx.store(ptr %w, i64 %wide, i64 %what, i64 %first, i64 %locals)
ret i1 %v54
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
b59:
%v60 = add i64 %v17, %v55
%v61 = zext i32 -1 to i64
%v62 = call i1 @openptx.load_span(ptr %w, i64 %v61, i64 21474903041, i64 %v60, ptr @span.0)
br i1 %v62, label %failed, label %b63, !prof !0
b63:
%v64 = getelementptr i8, ptr %w, i64 1280
%v65 = load volatile <32 x i32>, ptr %v64, align 4, !tbaa !5
br label %b66
b58:
%v67 = getelementptr i8, ptr %v21, i64 %v55
%v68 = load <32 x i32>, ptr %v67, align 4, !tbaa !6
br label %b66
b66:
%v69 = phi <32 x i32> [%v68, %b58], [%v65, %b63]
%v70 = zext <32 x i32> %v69 to <32 x i64>
%v71 = mul <32 x i64> %v70, splat (i64 4)
%v72 = insertelement <32 x i64> poison, i64 %v9, i32 0
%v73 = shufflevector <32 x i64> %v72, <32 x i64> poison, <32 x i32> zeroinitializer
%v74 = add <32 x i64> %v73, %v71
%v75 = call { <32 x i32>, i1 } @openptx.shared.lanes.b6ed03ebf056fe27(ptr %w, i32 -1, i64 %v32, i64 %v37, i64 %v35, i32 %index, i64 0, i64 34359804929, <32 x i64> %v74)
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
%v82 = fcmp ogt <32 x float> %v81, zeroinitializer
%v83 = select <32 x i1> %v82, <32 x float> %v81, <32 x float> zeroinitializer
%v84 = fcmp olt <32 x float> %v83, splat (float 4294967296.0)
%v85 = fptoui <32 x float> %v83 to <32 x i32>
%v86 = select <32 x i1> %v84, <32 x i32> %v85, <32 x i32> splat (i32 4294967295)
%v87 = icmp ne <32 x i32> %v86, zeroinitializer
%v88 = xor <32 x i1> %v87, splat (i1 true)
%v89 = bitcast <32 x i1> %v87 to i32
%v90 = icmp ne i32 %v89, 0
br i1 %v90, label %b91, label %b92
b91:
%v93 = load i64, ptr %r1, align 4
%v94 = select <32 x i1> %v87, <32 x i32> %v86, <32 x i32> zeroinitializer
%v95 = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %v94)
%v96 = insertelement <32 x i64> poison, i64 %v93, i32 0
%v97 = shufflevector <32 x i64> %v96, <32 x i64> poison, <32 x i32> zeroinitializer
%v98 = insertelement <32 x i64> poison, i64 %v43, i32 0
%v99 = shufflevector <32 x i64> %v98, <32 x i64> poison, <32 x i32> zeroinitializer
%v100 = sub <32 x i64> %v97, %v99
%v101 = insertelement <32 x i64> poison, i64 %v48, i32 0
%v102 = shufflevector <32 x i64> %v101, <32 x i64> poison, <32 x i32> zeroinitializer
%v103 = icmp uge <32 x i64> %v100, %v102
%v104 = and <32 x i64> %v97, splat (i64 3)
%v105 = icmp ne <32 x i64> %v104, zeroinitializer
%v106 = or <32 x i1> %v103, %v105
%v107 = and <32 x i1> %v106, %v87
%v108 = bitcast <32 x i1> %v107 to i32
%v109 = icmp ne i32 %v108, 0
br i1 %v109, label %b110, label %b111, !prof !0
b110:
%v112 = insertelement <32 x i64> poison, i64 %v93, i32 0
%v113 = shufflevector <32 x i64> %v112, <32 x i64> poison, <32 x i32> zeroinitializer
%v114 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v113, ptr %v114, align 64, !tbaa !5
%v115 = bitcast <32 x i1> %v87 to i32
%v116 = zext i32 %v115 to i64
%v117 = call i1 @openptx.places(ptr %w, i64 %v116, i64 55834641409, i64 %first, i64 0)
br i1 %v117, label %failed, label %b118, !prof !0
b118:
%v119 = getelementptr i8, ptr %w, i64 1024
%v120 = load volatile <32 x ptr>, ptr %v119, align 64, !tbaa !5
br label %b121
b111:
%v122 = insertelement <32 x i64> poison, i64 %v46, i32 0
%v123 = shufflevector <32 x i64> %v122, <32 x i64> poison, <32 x i32> zeroinitializer
%v124 = add <32 x i64> %v97, %v123
%v125 = inttoptr <32 x i64> %v124 to <32 x ptr>
br label %b121
b121:
%v126 = phi <32 x ptr> [%v120, %b118], [%v125, %b111]
%v127 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v126, ptr %v127, align 64, !tbaa !5
%v128 = bitcast <32 x i1> %v87 to i32
%v129 = call i32 @llvm.cttz.i32(i32 %v128, i1 false)
%v130 = getelementptr i8, ptr %w, i64 1024
%v131 = getelementptr i64, ptr %v130, i32 %v129
%v132 = load volatile ptr, ptr %v131, align 8, !tbaa !5
%v133 = load i32, ptr %v132, align 4, !tbaa !6
%v134 = add i32 %v133, %v95
store i32 %v134, ptr %v132, align 4, !tbaa !6
br label %b92
b92:
%v135 = load <32 x i64>, ptr %r6, align 4
%v136 = call i1 @openptx.shared.lanes.0d6db48500a2e352(ptr %w, i32 -1, i64 %v32, i64 %v50, i64 %v35, i32 %index, i64 0, i64 60129608705, <32 x i64> %v135, <32 x i32> %v86)
br i1 %v136, label %failed, label %b137, !prof !0
b137:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v138 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v138, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v139 = icmp ult i32 %next, 2
br i1 %v139, label %ready, label %rest
rest:
%v140 = call i1 @openptx.next_in_row(ptr %w)
br i1 %v140, label %beside, label %done
done:
ret i32 0
beside:
br label %cta
ready:
br label %warp
}
