import type { ImportFormat } from '../import-format.ts';
import { agentStreams } from './agent-streams.ts';
import { assayRun } from './assay-run.ts';
import { atif } from './atif/atif.ts';
import { claudeSession } from './claude-session.ts';
import { codexRollout } from './codex-rollout/codex-rollout.ts';
import { deepeval } from './deepeval.ts';
import { eventsFile } from './events-file.ts';
import { inspectEval, inspectJson } from './inspect/inspect.ts';
import { junit } from './junit/junit.ts';
import { langfuse } from './langfuse.ts';
import { langsmith } from './langsmith.ts';
import { llmToolTestResults } from './llm-tool-test-results.ts';
import { miniSweAgent } from './mini-swe-agent.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiEvals } from './openai-evals.ts';
import { otlp } from './otlp/otlp.ts';
import { plainText } from './plain-text.ts';
import { promptfoo } from './promptfoo.ts';
import { sweAgent } from './swe-agent.ts';
import { sweBenchPredictions, sweBenchReport } from './swe-bench.ts';
import { table } from './table/table.ts';
import { tauBench } from './tau-bench.ts';

/** Every format that trials can be read from; the first that recognises a file reads it. */
export const importFormats: readonly ImportFormat[] = [
  assayRun,
  atif,
  promptfoo,
  inspectJson,
  inspectEval,
  deepeval,
  openaiEvals,
  langsmith,
  langfuse,
  sweBenchPredictions,
  sweBenchReport,
  miniSweAgent,
  sweAgent,
  tauBench,
  otlp,
  junit,
  llmToolTestResults,
  eventsFile,
  claudeSession,
  codexRollout,
  ...agentStreams,
  openaiChat,
  table,
  plainText,
];
