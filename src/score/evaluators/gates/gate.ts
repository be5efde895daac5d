import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { EvaluatedWorkspace, GateResult, ScriptEnd } from '../../../domain/gate.ts';
import { capitalized } from '../../../shared/format.ts';
import { cutMiddle } from '../../../shared/text.ts';
import { type Answer, defineEvaluator, type EvaluationContext, type Evaluator, type Reads } from '../evaluator.ts';

/** Verdict of a gate, with a message that names what was found and what was expected. */
export interface GateVerdict extends Omit<GateResult, 'gate_type'> {
  /** The score behind the verdict, where there is one. */
  readonly value?: number;
}

/** Gates run only where an agent left work behind. */
export interface GateContext extends EvaluationContext {
  readonly workspace: EvaluatedWorkspace;
  /** To be called with each command that ran: what it printed is evidence of a gate that failed. */
  readonly noteRun?: (command: string, end: ScriptEnd) => void;
}

/** Fails a gate with this message: a mistake of the scenario's author or of the agent. */
export class GateFailure extends Error {}

interface GateDefinition<Schema extends z.ZodType> {
  readonly type: string;
  /** By default the words of the type, such as `File exists` for `file_exists`. */
  readonly label?: string;
  readonly summary: string;
  readonly configSchema?: () => Schema;
  readonly example?: NoInfer<z.input<Schema>>;
  /** Its channels; the files of the work directory where it does not say so. */
  readonly reads?: Reads;
  /** Whether it judges how the agent worked, and so holds where nothing was done. */
  readonly judgesConduct?: true;
  /** A `GateFailure` that it throws fails the gate; defects of Assay and what cannot be judged are thrown as other errors. */
  check(config: z.output<NoInfer<Schema>>, context: GateContext): GateVerdict | Promise<GateVerdict>;
}

/** An assertion on the work left behind; its verdict is also listed under `gates` in the record. */
export function defineGate<Schema extends z.ZodType>(definition: GateDefinition<Schema>): Evaluator {
  const { check, reads, ...description } = definition;
  const words = description.type.replaceAll('_', ' ');
  return defineEvaluator<'assertion', Schema>({
    label: capitalized(words),
    ...description,
    kind: 'assertion',
    needs: ['workspace'],
    reads: reads ?? { channels: { files: 'exact' } },
    isGate: true,
    prepare:
      (config) =>
      async (context): Promise<Answer<'assertion'>> => {
        const { workspace } = context;
        if (!workspace) throw new AssayError('INTERNAL', `The gate ${description.type} ran without a work directory.`);
        let ran: Ran | undefined;
        const noteRun = (command: string, end: ScriptEnd): void => {
          ran = { command, end };
        };
        const { value, ...verdict } = await verdictOf(() => check(config, { ...context, workspace, noteRun }));
        const evidence = !verdict.passed && ran && verdict.detail === undefined && evidenceOf(ran, context.services);
        const gates = [{ gate_type: description.type, ...verdict, ...(evidence && { detail: evidence }) }];
        if (verdict.passed && workspace.nothingProven) {
          return { state: 'error', error: workspace.nothingProven, findings: { gates } };
        }
        return {
          state: verdict.passed ? 'pass' : 'fail',
          reason: verdict.message,
          findings: { gates },
          ...(value !== undefined && { value }),
        };
      },
  });
}

async function verdictOf(check: () => GateVerdict | Promise<GateVerdict>): Promise<GateVerdict> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof GateFailure) return failed(error.message);
    throw error;
  }
}

interface Ran {
  readonly command: string;
  readonly end: ScriptEnd;
}

const longestOutput = 4_000;

/** The command of a gate that failed and what it printed. Secrets go first: half of one would not be recognised. */
function evidenceOf({ command, end }: Ran, { redact }: EvaluationContext['services']) {
  const kept = (text: string): string => cutMiddle(redact(text), longestOutput);
  const { exitCode, timedOut, stdout, stderr } = end;
  return {
    command: kept(command),
    exit_code: exitCode,
    ...(timedOut && { timed_out: true }),
    stdout: kept(stdout.text),
    stderr: kept(stderr.text),
  };
}

export function passed(message: string): GateVerdict {
  return { passed: true, message };
}

export function failed(message: string): GateVerdict {
  return { passed: false, message };
}

const description = () => ({ description: z.string().optional().describe('purpose of the gate, in plain words') });

/** Config of a gate that has no settings. */
export const noConfig = () => z.strictObject(description());

/** Config of a gate that runs a shell command in the work directory. */
export const commandConfig = () =>
  z.strictObject({
    command: z.string().describe('shell command that runs in the work directory'),
    timeout_secs: z.number().positive().max(86_400).default(30).describe('time limit of the command, in seconds'),
    runs: z
      .literal('work')
      .optional()
      .describe('`work`: the command runs code that the agent wrote, as `pytest` and `npm test` do'),
    ...description(),
  });

/** Config of a gate that reads a file of the work directory. */
export const fileConfig = () =>
  z.strictObject({
    path: z.string().describe('path of a file inside the work directory, relative to it'),
    ...description(),
  });

export const substring = () => z.string().describe('text that must occur, exactly as it is written');

export const pattern = () => z.string().describe('regular expression (RE2 syntax) that must match somewhere');
