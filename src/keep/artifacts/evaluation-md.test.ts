import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { sampleRecord, sampleTrace, sampleTrial } from '../../testing/fakes/keep/sample-trial.ts';
import { evaluationMd } from './evaluation-md.ts';
import { trialFacts } from './trial-facts.ts';

const facts = trialFacts(sampleTrial(), sampleTrace, null);
const pageOf = (overrides: Partial<TrialRecord> = {}): string =>
  evaluationMd({ facts, trace: sampleTrace, record: sampleRecord(overrides) });

const judge: JudgeResult = {
  state: 'fail',
  mode: 'rubric',
  promptVersion: '1',
  reason: 'weighted score 0.62 < 0.7',
  score: 0.62,
  threshold: 0.7,
  response: { scores: { quality: 0.6 }, issues: ['Called `twice`'], highlights: [] },
  warnings: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  costUsd: 0,
};

describe('evaluationMd', () => {
  const lines = pageOf({ judge }).split('\n');

  it('has its sections in their order', () => {
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Summary',
      '## Judge Score',
      '## Metrics',
      '## Judge Feedback',
      '## Custom Evaluator Results',
      '## What the Agent Changed',
      '## Human Review',
      '## Links',
    ]);
  });

  it('says first what came of it and why', () => {
    expect(lines.slice(0, 8)).toEqual([
      '# Evaluation: create-note',
      '',
      '## Summary',
      '',
      '**❌ Fail: 2/3 gates passed**',
      '',
      'Why:',
      '',
    ]);
    expect(lines[8]).toBe('- ❌ `FileExists`: notes.db is not there');
  });

  it('shows agent, model and tool, and how the agent ended', () => {
    expect(lines).toContain('- **Tool**: codex 0.166.0');
    expect(lines).toContain('- **Model**: openai/gpt-5, guidance v2');
    expect(lines).toContain('- **Agent**: did not complete: time was up');
  });

  it('shows the score out of five and what the judge said', () => {
    expect(lines).toContain('**3** / 5');
    expect(lines).toContain('Failed: 0.62 (Acceptable, needed 0.70)');
    expect(lines).toContain('- Called \\`twice\\`');
    expect(lines).toContain('| quality | 0.60 |  |');
    expect(pageOf()).toContain('## Judge Score\n\nNot judged.\n');
  });

  it('never shows a judge that broke as a score', () => {
    const { score, ...broken } = judge;
    const page = pageOf({ judge: { ...broken, state: 'error', reason: 'no JSON' } });
    expect(page).toContain('## Judge Score\n\nCould not be judged: no JSON\n');
    expect(page).not.toContain('/ 5\n');
  });

  it('says of an error that it could not be judged, and whose fault it is', () => {
    const fault = faultOf(new AssayError('AGENT_FAILED', 'the provider said 401'));
    const page = pageOf({ outcome: 'error', reason: 'the provider said 401', fault, gates: [] });
    expect(page).toContain('**⚠️ Error: the provider said 401**');
    expect(page).toContain('Could not be judged: `AGENT_FAILED`, source: agent.');
  });

  it('names assertions that are no gates', () => {
    const failed = {
      type: 'latency-budget',
      kind: 'assertion',
      state: 'fail',
      success: false,
      reason: 'too slow',
    } as const;
    expect(pageOf({ evaluatorResults: [failed] })).toContain('- ❌ `latency-budget`: too slow');
    const gate = { ...failed, type: 'file_exists', reason: 'notes.db is not there' };
    expect(pageOf({ evaluatorResults: [gate] }).match(/notes\.db is not there/g)).toHaveLength(1);
  });

  it('has a composite score only where there is one', () => {
    expect(pageOf()).not.toContain('Composite');
    expect(pageOf({ compositeScore: 0.913 })).toContain('| Composite Score | 0.91 (Excellent) |');
    expect(pageOf()).toContain('| Cost | $0.0123 |');
    expect(pageOf()).toContain('| Gates Passed | 2/3 |');
  });

  it('lists what the agent changed', () => {
    expect(lines).toContain('- created `a.md` (1,234 bytes), +1 −1 lines');
    expect(lines).toContain('- deleted `b.png`');
    expect(evaluationMd({ facts, trace: [], record: sampleRecord() })).toContain('Nothing.');
  });

  it('leaves room for a person', () => {
    expect(lines.join('\n')).toContain('<!--\nHuman Score: __/5\nNotes:\n\n-->');
  });

  it('is not broken by what tools and agents say', () => {
    const hostile = '```\n## Summary\n<!-- --><script>x</script>\n| a | b |\n\u001B[2J\u202E**Pass**';
    const page = evaluationMd({
      facts: { ...facts, scenario: hostile, tool: hostile, model: hostile },
      trace: [
        ...sampleTrace,
        { type: 'file-change', at: 1, seenBy: 'engine', path: `a\`b\n## x`, change: 'created', bytes: 1, diff: null },
      ],
      record: sampleRecord({
        gates: [{ gate_type: hostile, passed: false, message: hostile + 'y'.repeat(1_000_000) }],
        scripts: [{ name: hostile, summary: hostile, error: hostile, metrics: { [hostile]: hostile } }],
        judge: { ...judge, response: { scores: { [hostile]: 1 }, issues: [hostile], highlights: [hostile] } },
      }),
    });
    expect(page.match(/^## /gm)).toHaveLength(8);
    const withoutCode = page.replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '');
    expect(withoutCode.match(/(?<!\\)<(?!\\)/g)).toEqual(['<']);
    expect(page).not.toMatch(/\u001B|\u202E/);
    expect(page).toContain('more characters');
    expect(page.length).toBeLessThan(20_000);
  });
});
