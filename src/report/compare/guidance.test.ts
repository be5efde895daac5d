import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawMarkdown } from '../../shared/blocks/draw-markdown.ts';
import { drawText } from '../../shared/blocks/draw-text.ts';
import { comparedTrial } from '../../testing/fakes/compare/fake-record.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { findingItems, guidanceSections } from '../presentation/guidance-text.ts';
import { compareGuidance, type GuidanceTable } from './guidance.ts';

const guidanceText = (tables: readonly GuidanceTable[]) =>
  drawText(guidanceSections(tables), { color: false, width: 100 });
const guidanceMarkdown = (tables: readonly GuidanceTable[]) => drawMarkdown(guidanceSections(tables));

const variantOf = (guidance: string | undefined) => ({ agent: 'claude-code', model: 'sonnet', guidance });
const v1 = { variant: variantOf('v1') };
const v2 = { variant: variantOf('v2') };
const poor = ['create a!2', 'create a!2', 'create a', 'list --help', 'list'];
const good = ['create a', 'list'];

describe('compareGuidance', () => {
  it('takes means over the repeats of each variant', () => {
    const [table, ...others] = compareGuidance([
      comparedTrial(poor, { ...v1, costUsd: 0.02, durationMs: 3_000 }),
      comparedTrial(good, { ...v2, costUsd: 0.01 }),
      comparedTrial(good, { ...v1, repeat: 2, outcome: 'fail', costUsd: 0.04, durationMs: 5_000 }),
      comparedTrial(good, { ...v2, repeat: 2 }),
    ]);
    expect(others).toEqual([]);
    expect(table).toMatchObject({
      scenario: 'create_and_link',
      caseId: '',
      shared: 'claude-code, sonnet',
      fewestTrials: 2,
    });
    expect(table?.rows.map(({ name }) => name)).toEqual(['v1', 'v2']);
    expect(table?.rows[0]).toMatchObject({
      trials: 2,
      errorRate: { mean: 0.2, min: 0, max: 0.4 },
      help: { mean: 0.5 },
      firstTry: { mean: 0.7 },
      commands: { mean: 3.5 },
      iterationRatio: { mean: 0.8 },
      completedShare: 1,
      passShare: 0.5,
      unjudged: 0,
      meanCostUsd: 0.03,
      meanDurationMs: 4_000,
    });
    expect(table?.rows.map(({ diagnosis }) => diagnosis)).toEqual([[], []]);
  });

  it('never mixes scenarios, cases, agents or models', () => {
    const tables = compareGuidance([
      comparedTrial(good, v1),
      comparedTrial(good, { variant: { ...v1.variant, model: 'opus' } }),
      comparedTrial(good, { variant: { ...v1.variant, agent: 'codex' } }),
      comparedTrial(good, { ...v1, scenario: 'other' }),
      comparedTrial(good, { ...v1, caseId: 'second' }),
    ]);
    const guidance = tables.filter(({ rowsAre }) => rowsAre === 'guidance');
    expect(guidance.map(({ rows }) => rows.length)).toEqual([1, 1, 1, 1, 1]);
    expect(guidance.map(({ caseId }) => caseId)).toEqual(['task', 'task', 'task', '', 'second']);
  });

  it('puts agents side by side, also where there is no guidance', () => {
    const [guidance, codex, agents] = compareGuidance([
      comparedTrial(poor, v1),
      comparedTrial(good, { variant: { agent: 'codex', guidance: 'v1' } }),
    ]);
    expect([guidance, codex, agents].map((table) => table?.rowsAre)).toEqual(['guidance', 'guidance', 'agent']);
    expect(agents?.rows.map(({ name }) => name)).toEqual(['claude-code, sonnet', 'codex']);
    const plain = compareGuidance([
      comparedTrial(good, { variant: { agent: 'claude-code' } }),
      comparedTrial(good, { variant: { agent: 'codex' } }),
    ]);
    expect(plain).toHaveLength(1);
    expect(plain[0]?.rows.map(({ name }) => name)).toEqual(['claude-code', 'codex']);
    expect(guidanceText(plain)).toMatch(/^Guidance and variants: create_and_link\n {2}agent +trials/);
    expect(guidanceText(plain)).not.toMatch(/guidance|as it is/);
  });

  it('keeps what could not be judged out of the shares', () => {
    const [table] = compareGuidance([
      comparedTrial(good, v1),
      comparedTrial(good, { ...v1, outcome: 'error', interaction: null }),
      comparedTrial([], { ...v1, outcome: 'fail' }),
    ]);
    expect(table?.rows[0]).toMatchObject({ trials: 3, unjudged: 1, withoutCommands: 1, passShare: 0.5 });
    const [unknown] = compareGuidance([comparedTrial(good, { ...v1, outcome: 'error', interaction: null })]);
    expect(unknown?.rows[0]).toMatchObject({ errorRate: null, passShare: null, completedShare: null, diagnosis: [] });
  });
});

describe('guidanceText', () => {
  it('is an aligned table with notes and what to do', () => {
    const text = guidanceText(compareGuidance([comparedTrial(poor, v1), comparedTrial(good, v2)]));
    const lines = text.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'Guidance and variants: create_and_link, claude-code, sonnet',
      '  guidance  trials  errors  help  first try  cmds  ratio   done  passed     cost   time',
      '  v1             1    0.40   1.0       0.40   5.0   0.60  100 %   100 %  $0.0100  1.0 s',
      '  v2             1    0.00   0.0       1.00   2.0   1.00  100 %   100 %  $0.0100  1.0 s',
    ]);
    expect(lines).toContain(
      '  - Only one trial per variant. Agents vary between runs: use --repeat 5 before drawing conclusions.',
    );
    const alone = guidanceText(compareGuidance([comparedTrial(poor, v1)]));
    expect(alone).toContain(
      '  - v1: High error rate and little use of --help (error rate 0.40, --help 1.0 times per trial)\n',
    );
    expect(alone).toContain('      tm create a (exit 2, repeat 1, event 1)\n');
  });

  it('lists the commands behind several findings once', () => {
    const [table] = compareGuidance([comparedTrial(poor, v1)]);
    const [finding] = table?.rows[0]?.diagnosis ?? [];
    const lists = findingItems(finding ? [finding, { ...finding, title: 'Another' }] : [], 'v1').map(
      (item) => item.below,
    );
    expect(lists[0]).toHaveLength(1 + (finding?.commands.length ?? 0));
    expect(lists[1]?.slice(1)).toEqual(['the same commands as above']);
  });

  it('leaves it to a comparison whether chance explains a difference', () => {
    const arms = [v1, v1, v2, v2].map((variant, index) => comparedTrial(index < 2 ? poor : good, variant));
    const note = 'Run \\`assay compare latest --by guidance\\` to see whether chance explains the differences.';
    expect(guidanceMarkdown(compareGuidance(arms))).toContain(note);
    expect(guidanceMarkdown(compareGuidance(arms))).not.toContain('Only one trial');
  });

  it('says nothing of chance where the figures are the same', () => {
    const same = guidanceMarkdown(
      compareGuidance([...[v1, v1, v2, v2].map((variant) => comparedTrial(good, variant))]),
    );
    expect(same).not.toContain('chance');
  });

  it('says what is missing', () => {
    const text = guidanceText(
      compareGuidance([
        comparedTrial([], { variant: variantOf(undefined) }),
        comparedTrial(good, { variant: variantOf(undefined), outcome: 'error', interaction: null }),
      ]),
    );
    expect(text).toContain('claude-code, sonnet: 1 trial could not be judged or did not run.');
    expect(text).toContain('claude-code, sonnet: in 1 trial the tool was never called');
    expect([guidanceSections([]), guidanceText([])]).toEqual([[], '\n']);
  });

  it('stays within 100 columns and obeys nothing that it shows', () => {
    const name = fc.string({ unit: 'binary-ascii', maxLength: 150, size: 'max' });
    fc.assert(
      fc.property(name, name, name, fc.nat({ max: 9e9 }), (guidance, scenario, argument, durationMs) => {
        const command = `x${argument.replace(/[! ]/g, '_')}!1`;
        const trial = comparedTrial(Array(9).fill(command), {
          scenario,
          variant: { guidance },
          durationMs,
          costUsd: 999,
        });
        const tables = compareGuidance([trial, comparedTrial(good, { scenario, variant: { guidance: 'v2' } })]);
        const text = guidanceText(tables);
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
        expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
        expect(guidanceMarkdown(tables)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
      }),
      { seed: 45, numRuns: repetitions({ usual: 40, inFull: 300 }) },
    );
  });

  it('shows names in Markdown as they are', () => {
    const hostile = { scenario: '<b>#x', variant: { guidance: 'a|b*`' } };
    const markdown = guidanceMarkdown(compareGuidance([comparedTrial(['x`y|z!1', 'a!1', 'b!1'], hostile)]));
    expect(markdown).toContain('## Guidance and variants: \\<b\\>\\#x\n');
    expect(markdown).toContain('| a\\|b\\*\\` | 1 |');
    expect(markdown).toContain("  - `tm 'x'y|z' (exit 1, repeat 1, event 1)`");
  });
});

describe('the note below the table', () => {
  it('says why figures are missing', () => {
    const reasons = ['the recorder was replaced'];
    const doubted = comparedTrial(good, {
      ...v1,
      interaction: null,
      coverage: { commands: { state: 'partial', reasons } },
    });
    expect(guidanceText(compareGuidance([doubted]))).toContain('v1: no figures of 1 trial: the recorder was replaced.');
  });
});
