define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca i64, align 64
%r1 = alloca i64, align 64
%r2 = alloca i64, align 64
%r7 = alloca i32, align 64
%fuel = alloca i32, align 4
store i32 13797, ptr %fuel, align 4
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
%v12 = getelementptr i8, ptr %v7, i64 16
%v13 = load i64, ptr %v12, align 8, !tbaa !5
%v14 = getelementptr i8, ptr %v7, i64 24
%v15 = load i32, ptr %v14, align 4, !tbaa !5
%v16 = getelementptr i8, ptr %w, i64 64
%v17 = lshr i64 %v9, 32
%v18 = getelementptr i8, ptr %w, i64 8
%v19 = load i64, ptr %v18, align 4, !tbaa !5
%v20 = sub i64 %v17, 16
%v21 = sub i64 %v19, 16
%v22 = icmp ult i64 %v20, %v21
%v23 = select i1 %v22, i64 %v17, i64 0
%v24 = getelementptr [32 x i8], ptr %v1, i64 %v23
%v25 = getelementptr i8, ptr %v24, i64 0
%v26 = getelementptr i8, ptr %v24, i64 8
%v27 = getelementptr i8, ptr %v24, i64 16
%v28 = getelementptr i8, ptr %v24, i64 24
%v29 = load i64, ptr %v25, align 8, !tbaa !5
%v30 = load i64, ptr %v26, align 8, !tbaa !5
%v31 = load i64, ptr %v27, align 8, !tbaa !5
%v32 = load i64, ptr %v28, align 8, !tbaa !5
%v33 = add i64 %v29, 3
%v34 = and i64 %v33, -4
%v35 = sub i64 %v34, %v29
%v36 = sub i64 %v30, %v35
%v37 = sub i64 %v31, %v35
%v38 = add i64 %v34, %v32
%v39 = inttoptr i64 %v38 to ptr
%v40 = sub i64 %v9, %v34
%v41 = sub i64 %v36, 127
%v42 = call i64 @llvm.smax.i64(i64 %v41, i64 0)
%v43 = add i64 %v42, 3
%v44 = lshr i64 %v43, 2
%v45 = lshr i64 %v11, 32
%v46 = sub i64 %v45, 16
%v47 = icmp ult i64 %v46, %v21
%v48 = select i1 %v47, i64 %v45, i64 0
%v49 = getelementptr [32 x i8], ptr %v1, i64 %v48
%v50 = getelementptr i8, ptr %v49, i64 0
%v51 = getelementptr i8, ptr %v49, i64 8
%v52 = getelementptr i8, ptr %v49, i64 16
%v53 = getelementptr i8, ptr %v49, i64 24
%v54 = load i64, ptr %v50, align 8, !tbaa !5
%v55 = load i64, ptr %v51, align 8, !tbaa !5
%v56 = load i64, ptr %v52, align 8, !tbaa !5
%v57 = load i64, ptr %v53, align 8, !tbaa !5
%v58 = add i64 %v54, 3
%v59 = and i64 %v58, -4
%v60 = sub i64 %v59, %v54
%v61 = sub i64 %v55, %v60
%v62 = sub i64 %v56, %v60
%v63 = add i64 %v59, %v57
%v64 = inttoptr i64 %v63 to ptr
%v65 = sub i64 %v11, %v59
%v66 = sub i64 %v61, 127
%v67 = call i64 @llvm.smax.i64(i64 %v66, i64 0)
%v68 = add i64 %v67, 3
%v69 = lshr i64 %v68, 2
%v70 = lshr i64 %v13, 32
%v71 = sub i64 %v70, 16
%v72 = icmp ult i64 %v71, %v21
%v73 = select i1 %v72, i64 %v70, i64 0
%v74 = getelementptr [32 x i8], ptr %v1, i64 %v73
%v75 = getelementptr i8, ptr %v74, i64 0
%v76 = getelementptr i8, ptr %v74, i64 8
%v77 = getelementptr i8, ptr %v74, i64 16
%v78 = getelementptr i8, ptr %v74, i64 24
%v79 = load i64, ptr %v75, align 8, !tbaa !5
%v80 = load i64, ptr %v76, align 8, !tbaa !5
%v81 = load i64, ptr %v77, align 8, !tbaa !5
%v82 = load i64, ptr %v78, align 8, !tbaa !5
%v83 = add i64 %v79, 3
%v84 = and i64 %v83, -4
%v85 = sub i64 %v84, %v79
%v86 = sub i64 %v80, %v85
%v87 = sub i64 %v81, %v85
%v88 = add i64 %v84, %v82
%v89 = inttoptr i64 %v88 to ptr
%v90 = sub i64 %v13, %v84
%v91 = sub i64 %v87, 127
%v92 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
%v93 = add i64 %v92, 3
%v94 = lshr i64 %v93, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
%v95 = load i32, ptr %v16, align 4, !tbaa !5
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
%v96 = mul i32 %v95, 64
%v97 = add i32 %v96, %first32
%v98 = zext i32 %v97 to i64
%v99 = zext i32 %v15 to i64
%v100 = sub i64 %v99, %v98
%v101 = call i64 @llvm.smax.i64(i64 %v100, i64 0)
%v102 = call i64 @llvm.smin.i64(i64 %v101, i64 32)
%v103 = shl i64 -1, %v102
%v104 = trunc i64 %v103 to i32
%v105 = xor i32 %v104, -1
%v106 = bitcast i32 %v105 to <32 x i1>
%v107 = xor <32 x i1> %v106, splat (i1 true)
%v108 = xor <32 x i1> %v107, splat (i1 true)
store i64 %v9, ptr %r0, align 4
store i64 %v11, ptr %r1, align 4
store i64 %v13, ptr %r2, align 4
store i32 %v97, ptr %r7, align 4
%v109 = xor <32 x i1> %v107, splat (i1 true)
%v110 = load <32 x i1>, ptr %live, align 4
%v111 = xor <32 x i1> %v107, splat (i1 true)
%v112 = and <32 x i1> %v110, %v111
store <32 x i1> %v112, ptr %live, align 4
%v113 = bitcast <32 x i1> %v109 to i32
%v114 = icmp ne i32 %v113, 0
br i1 %v114, label %block1, label %ended
block1:
; 10
%v115 = load <32 x i1>, ptr %live, align 4
%v116 = load i32, ptr %r7, align 4
%v117 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %v116, i32 31)
%v118 = extractvalue { i32, i1 } %v117, 1
br i1 %v118, label %b119, label %b120, !prof !0
b119:
%v121 = load i64, ptr %r0, align 4
%v122 = load i64, ptr %r1, align 4
%v123 = load i64, ptr %r2, align 4
%v124 = getelementptr i8, ptr %frame, i64 0
store i32 -12, ptr %v124, align 4
%v125 = load <32 x i1>, ptr %live, align 4
%v126 = getelementptr i8, ptr %frame, i64 16
store <32 x i1> %v125, ptr %v126, align 4
%v127 = getelementptr i8, ptr %frame, i64 64
store <32 x i1> %v115, ptr %v127, align 4
%v128 = getelementptr i8, ptr %frame, i64 128
store i64 %v121, ptr %v128, align 4
%v129 = getelementptr i8, ptr %frame, i64 384
store i64 %v122, ptr %v129, align 4
%v130 = getelementptr i8, ptr %frame, i64 640
store i64 %v123, ptr %v130, align 4
%v131 = getelementptr i8, ptr %frame, i64 896
store i32 %v116, ptr %v131, align 4
%v132 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v132, align 4
ret i32 3
b120:
%v133 = zext i32 %v116 to i64
%v134 = mul i64 %v133, 4
%v135 = load i64, ptr %r0, align 4
%v136 = add i64 %v135, %v134
%v137 = load i64, ptr %r1, align 4
%v138 = add i64 %v137, %v134
%v139 = load i64, ptr %r2, align 4
%v140 = add i64 %v139, %v134
%v141 = sub i64 %v136, %v9
%v142 = add i64 %v40, %v141
%v143 = call i64 @llvm.fshr.i64(i64 %v142, i64 %v142, i64 2)
%v144 = icmp ult i64 %v143, %v44
br i1 %v144, label %b145, label %b146, !prof !1
b145:
%v147 = getelementptr i8, ptr %v39, i64 %v142
%v148 = load <32 x i32>, ptr %v147, align 4, !tbaa !6
br label %b149
b146:
%v150 = add i64 %v34, %v142
%v151 = bitcast <32 x i1> %v115 to i32
%v152 = zext i32 %v151 to i64
%v153 = call i1 @openptx.load_span(ptr %w, i64 %v152, i64 60129608705, i64 %first, i64 0, i64 %v150, ptr @span.0)
br i1 %v153, label %failed, label %b154, !prof !0
b154:
%v155 = getelementptr i8, ptr %w, i64 1280
%v156 = load volatile <32 x i32>, ptr %v155, align 4, !tbaa !5
br label %b149
b149:
%v157 = phi <32 x i32> [%v148, %b145], [%v156, %b154]
%v158 = sub i64 %v138, %v11
%v159 = add i64 %v65, %v158
%v160 = call i64 @llvm.fshr.i64(i64 %v159, i64 %v159, i64 2)
%v161 = icmp ult i64 %v160, %v69
br i1 %v161, label %b162, label %b163, !prof !1
b162:
%v164 = getelementptr i8, ptr %v64, i64 %v159
%v165 = load <32 x i32>, ptr %v164, align 4, !tbaa !6
br label %b166
b163:
%v167 = add i64 %v59, %v159
%v168 = bitcast <32 x i1> %v115 to i32
%v169 = zext i32 %v168 to i64
%v170 = call i1 @openptx.load_span(ptr %w, i64 %v169, i64 64424576001, i64 %first, i64 0, i64 %v167, ptr @span.0)
br i1 %v170, label %failed, label %b171, !prof !0
b171:
%v172 = getelementptr i8, ptr %w, i64 1280
%v173 = load volatile <32 x i32>, ptr %v172, align 4, !tbaa !5
br label %b166
b166:
%v174 = phi <32 x i32> [%v165, %b162], [%v173, %b171]
%v175 = bitcast <32 x i32> %v157 to <32 x float>
%v176 = bitcast <32 x i32> %v174 to <32 x float>
%v177 = fadd <32 x float> %v175, %v176
%v178 = bitcast <32 x float> %v177 to <32 x i32>
%v179 = fcmp uno <32 x float> %v177, zeroinitializer
%v180 = select <32 x i1> %v179, <32 x i32> splat (i32 2147483647), <32 x i32> %v178
%v181 = sub i64 %v140, %v13
%v182 = add i64 %v90, %v181
%v183 = call i64 @llvm.fshr.i64(i64 %v182, i64 %v182, i64 2)
%v184 = icmp ult i64 %v183, %v94
br i1 %v184, label %b185, label %b186, !prof !1
b186:
%v187 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v180, ptr %v187, align 4, !tbaa !5
%v188 = add i64 %v84, %v182
%v189 = bitcast <32 x i1> %v115 to i32
%v190 = zext i32 %v189 to i64
%v191 = call i1 @openptx.store_span(ptr %w, i64 %v190, i64 73014510593, i64 %first, i64 0, i64 %v188, ptr @span.0)
br i1 %v191, label %failed, label %b192, !prof !0
b192:
br label %b193
b185:
%v194 = getelementptr i8, ptr %v89, i64 %v182
%v195 = bitcast <32 x i1> %v115 to i32
%v196 = icmp eq i32 %v195, -1
br i1 %v196, label %b197, label %b198, !prof !1
b197:
store <32 x i32> %v180, ptr %v194, align 4, !tbaa !6
br label %b199
b198:
call void @llvm.masked.store.v32i32.p0(<32 x i32> %v180, ptr align 4 %v194, <32 x i1> %v115), !tbaa !6
br label %b199
b199:
br label %b193
b193:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v200 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v200, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v201 = icmp ult i32 %next, 2
br i1 %v201, label %ready, label %rest
rest:
%v202 = getelementptr i8, ptr %w, i64 928
%v203 = load i32, ptr %v202, align 4
%v204 = add i32 %v203, -1
store i32 %v204, ptr %v202, align 4
%v205 = getelementptr i8, ptr %w, i64 120
%v206 = load ptr, ptr %v205, align 8
%v207 = getelementptr i8, ptr %v206, i64 16
%v208 = load volatile i32, ptr %v207, align 4
%v209 = icmp ne i32 %v204, 0
%v210 = icmp eq i32 %v208, 0
%v211 = and i1 %v209, %v210
br i1 %v211, label %beside, label %done
done:
ret i32 0
beside:
%v212 = getelementptr i8, ptr %w, i64 64
%v213 = load i32, ptr %v212, align 4
%v214 = add i32 %v213, 1
store i32 %v214, ptr %v212, align 4
%v215 = getelementptr i8, ptr %w, i64 88
%v216 = load i64, ptr %v215, align 4
%v217 = add i64 %v216, 1
store i64 %v217, ptr %v215, align 4
%v218 = getelementptr i8, ptr %w, i64 848
%v219 = load i64, ptr %v218, align 4
%v220 = add i64 %v219, 1
store i64 %v220, ptr %v218, align 4
br label %cta
ready:
br label %warp
}
