import { type ScriptSource, startScriptedModel } from '../../drive/models/scripted/index.ts';
import type { CommandResult } from './assay.ts';
import { assayInProcess as assay } from './assay-in-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The API key for the scripted provider; it must appear nowhere else. */
export const secretKey = 'sk-test-0123456789abcdef0123456789abcdef';

export const answerText = 'Paris is the capital of France.';

const tool = `export const answer = () => ({ text: ${JSON.stringify(answerText)} });\n`;

/** A scenario whose tool always gives the same answer, with the given judge section. */
export function judgedScenario(judge: unknown, criteria = ["result.text.includes('Paris')"]): string {
  return JSON.stringify({
    name: 'Capital',
    call: { module: './tool.mjs', export: 'answer' },
    input: { question: 'What is the capital of France?' },
    passCriteria: criteria,
    judge,
  });
}

/** Reply of a judge in criteria mode about the first success criterion. */
export function criteriaReply(answer: string, quote = answerText, event = 'e2') {
  return {
    criteria: [{ id: 'success-1', reasoning: 'It was looked at.', evidence: [{ event, quote }], answer }],
    confidence: 0.9,
  };
}

export interface JudgedRun extends CommandResult {
  readonly calls: number;
  /** Everything that the model was sent. */
  readonly prompts: string;
  readonly folder: string;
  readonly trial: {
    readonly outcome: string;
    readonly reason: string;
    readonly costUsd: number;
    readonly judge: { readonly state: string; readonly reason: string; readonly warnings: readonly string[] } & Record<
      string,
      unknown
    >;
    readonly fault?: { readonly code: string; readonly blame: string };
  };
}

interface JudgedOptions {
  readonly scenario: string;
  readonly rules: ScriptSource['rules'];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** Runs one judged scenario against a scripted model over a real socket. */
export async function runJudged(options: JudgedOptions): Promise<JudgedRun> {
  const folder =
    options.folder ?? (await temporaryFolder({ 's.json': options.scenario, 'tool.mjs': tool, ...options.files }));
  await using model = await startScriptedModel({ rules: options.rules });
  const env = { OPENAI_API_KEY: secretKey, ANTHROPIC_API_KEY: secretKey, ...model.environment, ...options.env };
  const result = await assay(['run', 's.json', '--json', ...(options.flags ?? [])], { cwd: folder, env });
  const document = result.stdout === '' ? undefined : JSON.parse(result.stdout);
  const prompts = JSON.stringify(model.log().map(({ conversation }) => conversation));
  return { ...result, folder, calls: model.log().length, prompts, trial: document?.trials[0] };
}
