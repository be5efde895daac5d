/** Holds the place of what is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3">
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={`line-${index + 1}`}
          className={`h-4 animate-pulse rounded bg-raised ${widths[index % widths.length]}`}
        />
      ))}
    </div>
  );
}

const widths = ['w-11/12', 'w-9/12', 'w-10/12', 'w-7/12'];
