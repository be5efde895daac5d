import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { type IsolationTier, isolationTierSchema } from '../../domain/isolation-tier.ts';

/** Effect of an attack of an agent. */
export type Defence = 'prevented' | 'noticed' | 'not started' | 'possible';

/** Lets an agent attack, and returns the effect. */
export type Attack = (tier: IsolationTier, context: TestContext) => Promise<Defence>;

type Row = Partial<Record<IsolationTier, Defence>>;

/** The strongest first. */
const tiers = ['container', 'bubblewrap', 'process', 'none'] as const satisfies readonly IsolationTier[];

const pageOfTiers = join(import.meta.dirname, '../../../docs/reference/isolation-tiers.md');
const [begin, end] = ['<!-- hostile agent: table -->', '<!-- hostile agent: end -->'];
const isRecording = process.env.ASSAY_RECORD_DEFENCES === '1';

/** The table of the documentation: what became of each attack in each tier, as the tests of the attacks saw it. */
export class DefenceTable {
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #observed = new Map<string, Row>();

  constructor() {
    this.#rows = writtenRows(readFileSync(pageOfTiers, 'utf8'));
  }

  get attacks(): string[] {
    return [...this.#rows.keys()];
  }

  of(attack: string, tier: IsolationTier): Defence | undefined {
    return this.#rows.get(attack)?.[tier];
  }

  /** Holds an observed effect against the table, or takes it for the next one. */
  note(attack: string, tier: IsolationTier, defence: Defence): void {
    if (!isRecording) expect(defence).toBe(this.of(attack, tier));
    this.#observed.set(attack, { ...this.#observed.get(attack), [tier]: defence });
  }

  /** Writes the table with the effects that were observed, where that was requested; the others stay as they are. */
  save(attacks: readonly string[]): void {
    if (!isRecording) return;
    const rows = attacks.map((attack) => {
      const row = { ...this.#rows.get(attack), ...this.#observed.get(attack) };
      return rowText([attack, ...tiers.map((tier) => row[tier] ?? '?')]);
    });
    const head = ['the agent', ...tiers.map((tier) => `\`${tier}\``)];
    const table = [rowText(head), rowText(head.map(() => '---')), ...rows].join('\n');
    const page = readFileSync(pageOfTiers, 'utf8');
    const [before, after] = [page.slice(0, page.indexOf(begin) + begin.length), page.slice(page.indexOf(end))];
    writeFileSync(pageOfTiers, `${before}\n\n${table}\n\n${after}`);
  }
}

function writtenRows(page: string): Map<string, Row> {
  const lines = page
    .slice(page.indexOf(begin) + begin.length, page.indexOf(end))
    .trim()
    .split('\n');
  const rows = lines.slice(2).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  return new Map(
    rows.map(([attack = '', ...cells]) => {
      const filled = tiers.map((tier, column) => [tier, cells[column]] as const).filter(([, cell]) => cell !== '?');
      return [attack, Object.fromEntries(filled) as Row];
    }),
  );
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Tiers that the page does not describe, or the table does not have. */
export function tiersLeftOut(): string[] {
  const page = readFileSync(pageOfTiers, 'utf8');
  return isolationTierSchema.options.filter((tier) => !page.includes(`### \`${tier}\``) || !tiers.includes(tier));
}
