import type { ReactNode } from 'react';

/** Labels with their values, as many beside each other as there is room for; what is null is left out. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]} className="min-w-0">
              <dt className="text-xs text-muted">{fact[0]}</dt>
              <dd className="tabular-nums">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
