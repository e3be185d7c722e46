/** The value that this share of the values does not exceed; 1 gives the largest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Least squares: by how much a value grows from one sample to the next. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let along = 0;
  let spread = 0;
  values.forEach((value, index) => {
    along += (index - middle) * (value - mean);
    spread += (index - middle) ** 2;
  });
  return spread === 0 ? 0 : along / spread;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
