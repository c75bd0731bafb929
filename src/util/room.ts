/** Numbers kept by place in arrays that grow. */

/** The array, lengthened where it has no room for `place` yet: rarely, so that growing costs little. */
export function withRoom(array: Int32Array, place: number): Int32Array {
	if (place < array.length) return array;
	const longer = new Int32Array(place + Math.max(1024, place >> 1));
	longer.set(array);
	return longer;
}
