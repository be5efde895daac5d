import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IsolationTier } from '../../domain/isolation-tier.ts';

/** Effect of an attack of an agent. */
export type Defence = 'prevented' | 'noticed' | 'not started' | 'possible';

const page = join(import.meta.dirname, '../../../docs/guides/agents.md');
const [begin, end] = ['<!-- hostile agent: table -->', '<!-- hostile agent: end -->'];

/** The table of the documentation that says which isolation holds against what, by attack and tier. */
export function documentedDefences(): ReadonlyMap<string, Readonly<Record<IsolationTier, Defence>>> {
  const text = readFileSync(page, 'utf8');
  const lines = text
    .slice(text.indexOf(begin) + begin.length, text.indexOf(end))
    .trim()
    .split('\n');
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const tiers = head.slice(1).map((cell) => cell.replaceAll('`', ''));
  return new Map(
    rows.map(([attack = '', ...cells]) => {
      const byTier = Object.fromEntries(tiers.map((tier, index) => [tier, cells[index]]));
      return [attack, byTier as Record<IsolationTier, Defence>];
    }),
  );
}
