/** From nothing passed to everything passed; both ends are only for exactly that. */
const shades = ['bg-heat-0', 'bg-heat-1', 'bg-heat-2', 'bg-heat-3', 'bg-heat-4', 'bg-heat-5', 'bg-heat-6'] as const;

/** The shade of a share from 0 (bad) to 1 (good). */
export function heatLook(share: number): string {
  if (share <= 0) return shades[0];
  if (share >= 1) return shades[6];
  return shades[1 + Math.min(4, Math.floor(share * 5))] ?? shades[3];
}

/** The colours in a row, with what their ends mean. */
export function HeatLegend() {
  return (
    <span aria-hidden className="inline-flex items-center gap-1.5 text-xs text-muted">
      0 %
      <span className="inline-flex overflow-hidden rounded-sm">
        {shades.map((shade) => (
          <span key={shade} className={`h-3 w-4 ${shade}`} />
        ))}
      </span>
      100 % passed
    </span>
  );
}
