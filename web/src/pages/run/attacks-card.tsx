import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { HeatMapTable } from '../../kit/heat-map.tsx';
import { Card } from '../../kit/page.tsx';
import { FactList } from '../../kit/small-table.tsx';

/** How tasks and attacks ended, for each variant of an attacked run. */
export function AttacksCard({ attacks }: { attacks: RunDetail['attacks'] }) {
  return attacks.map(({ suites, variant, figures, map }) => (
    <Card key={variant} title={variant === '' ? `Attacks of ${suites}` : `Attacks of ${suites}: ${variant}`}>
      <div className="flex flex-col gap-3 text-sm">
        <FactList facts={figures.map(({ name, text }) => [name, text] as const)} />
        <HeatMapTable map={map} />
      </div>
    </Card>
  ));
}
