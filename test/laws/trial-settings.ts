import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvaluatedWorkspace } from '../../src/domain/gate.ts';
import type { JudgeResult } from '../../src/domain/judge-result.ts';
import type { Trace } from '../../src/domain/trace.ts';
import { runScript } from '../../src/drive/workspace/run-script.ts';
import { TrialContext, type TrialFacts } from '../../src/engine/trial-context.ts';
import type { EvaluationContext } from '../../src/score/evaluators/evaluator.ts';
import type { Judging } from '../../src/score/judge/judge.ts';
import { evaluationContext } from '../../src/testing/evaluation-context.ts';
import type { Row } from './evaluator-rows.ts';

/** A folder with the work of an agent; the caller removes it. */
export function makeWork(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-laws-'));
  writeFileSync(join(folder, 'report.md'), 'Total: 7\n');
  writeFileSync(join(folder, 'golden.txt'), 'Booked for 19:00.\n');
  return folder;
}

/** A judge that finds a trial good if a table was booked in it, and counts how often it was prompted. */
export class BookingJudge implements Judging {
  prompts = 0;

  async ask(...[{ mode, promptVersion }, { trace }]: Parameters<Judging['ask']>): Promise<JudgeResult> {
    this.prompts++;
    const isGood = trace.some((event) => event.type === 'tool-call' && event.tool === 'book_table');
    const kept = { kind: 'failure', text: '', answer: 'not-met', reason: 'kept', evidence: [] } as const;
    return {
      state: isGood ? 'pass' : 'fail',
      mode,
      promptVersion,
      reason: isGood ? 'booked' : 'not booked',
      criteria: [1, 2, 3, 4].map((number) => ({ ...kept, id: `failure-${number}`, evidence: [] })),
      warnings: [],
      usage: { inputTokens: 1, outputTokens: 1 },
      costUsd: 0,
    };
  }

  async embed(texts: readonly string[]) {
    this.prompts++;
    const vectors = texts.map((text) => (text.startsWith('Booked') ? [1, 0] : [0, 1]));
    return { vectors, model: 'a/b', usage: { inputTokens: 1, outputTokens: 0 }, costUsd: 0 } as never;
  }

  errorsIn() {
    return 'error' as const;
  }
}

const workflow = {
  name: 'flow',
  steps: [{ user: 'Book', expectedState: 'booked' }],
  expectTools: ['book_table'],
  order: 'subsequence',
};

/** The context in which an evaluator sees a trial of the table. */
export function settingOf({ setting }: Row, trace: Trace, folder: string, judging: Judging): EvaluationContext {
  const { trial, services, signal } = evaluationContext({ answer: undefined });
  const { scenario, case: sample } = trial;
  const target = { type: 'cli-tool', config: { binary: 'tasks', prompt: 'Do it' } };
  const inputs: Readonly<Partial<Record<NonNullable<Row['setting']>, object>>> = {
    suite: { input: { kind: 'tool', suite: { name: 's', tests: [{ name: 'add', args: {}, expectedResult: 5 }] } } },
    workflow: { input: workflow },
    'skill case': { expected: { triggers: true } },
  };
  const facts: TrialFacts = {
    trial: {
      ...trial,
      case: { ...sample, ...(setting && inputs[setting]) },
      scenario: { ...scenario, target, directory: folder, ...(setting === 'workflow' && { serverPart: 'workflow' }) },
    },
    ...{ trace, workspace: workspaceIn(folder), isFinal: true, failures: [] },
    earlier: {
      results: [{ type: 'contains', kind: 'assertion', state: 'pass', success: true, reason: '' }],
      metrics: {},
      judge: null,
    },
  };
  return new TrialContext(facts, () => judging, services, signal);
}

function workspaceIn(folder: string): EvaluatedWorkspace {
  const env = { PATH: process.env.PATH ?? '' };
  return {
    directory: folder,
    transcriptFile: join(folder, 'transcript'),
    runGrader: (command, request) =>
      runScript(command, { ...request, cwd: folder, env: { ...env, ...request.env }, tag: randomUUID() }),
  };
}
