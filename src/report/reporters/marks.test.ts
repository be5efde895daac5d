import { describe, expect, it } from 'vitest';
import { allMarks, type Mark } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { evaluationMd } from '../../keep/artifacts/evaluation-md.ts';
import { resultsRecord, runJson } from '../../keep/artifacts/json-files.ts';
import { reportMd } from '../../keep/artifacts/report-md.ts';
import { trialFacts } from '../../keep/artifacts/trial-facts.ts';
import { sampleRecord, sampleTrace, sampleTrial } from '../../testing/fakes/keep/sample-trial.ts';
import { rendered } from '../../testing/support/rendered.ts';
import { reporters } from './index.ts';

/** Facts of a record that each mark follows from. */
const facts: Readonly<Record<Mark, Partial<TrialRecord>>> = {
  reused: { cachedFrom: 't-earlier' },
  mocked: { control: { mock: 0 } },
  'simulated-tools': { control: { simulate: 0 } },
  replayed: { control: { replay: 3 } },
  faulted: { control: { fault: 1 } },
  attacked: { control: { attack: 1 } },
  simulated: { hasSimulatedUser: true },
  approvals: { approvals: { rules: [], answers: [] } },
};

/** Counts name a mark in words, and one mark begins like another. */
function occurrences(text: string, mark: Mark): number {
  const written = mark === 'simulated' ? 'simulated(?![- ]tools)' : mark.replace('-', '[- ]');
  return text.split(new RegExp(written)).length - 1;
}

describe.each(reporters.map((reporter) => [reporter.name, reporter] as const))('the report %s', (_, reporter) => {
  it.each(['pass', 'fail'] as const)('shows every mark of trials with the outcome %s', async (outcome) => {
    const same = { outcome, trace: sampleTrace };
    const plain = await rendered(
      reporter,
      allMarks.map(() => same),
    );
    const text = await rendered(
      reporter,
      allMarks.map((mark) => ({ ...same, ...facts[mark] })),
    );
    expect(allMarks.filter((mark) => occurrences(text, mark) <= occurrences(plain, mark))).toEqual([]);
  });
});

describe('the files of a trial', () => {
  const files = {
    'evaluation.md': evaluationMd,
    'report.md': reportMd,
    'run.json': (story: Parameters<typeof evaluationMd>[0]) => JSON.stringify(runJson(story)),
    'results.json': (story: Parameters<typeof evaluationMd>[0]) => JSON.stringify(resultsRecord(story, 'folder')),
  };
  const words: Readonly<Record<Mark, RegExp>> = {
    reused: /reused/i,
    mocked: /mock/i,
    'simulated-tools': /simulated.tools|answered in place/i,
    replayed: /replayed|recordings answered/i,
    faulted: /fault/i,
    attacked: /attack/i,
    simulated: /simulated|played the user/i,
    approvals: /approval/i,
  };

  it.each(Object.entries(files))('%s shows every mark', (_, write) => {
    for (const mark of allMarks) {
      const record = sampleRecord({ outcome: 'pass', ...facts[mark] });
      const story = { facts: trialFacts(sampleTrial(), sampleTrace, 'notes 1.2.0'), trace: sampleTrace, record };
      expect(write(story)).toMatch(words[mark]);
    }
  });
});
