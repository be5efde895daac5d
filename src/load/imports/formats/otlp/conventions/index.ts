import { claudeCode, claudeCodeSpans, codex } from './agent-sessions.ts';
import type { SpanConvention } from './convention.ts';
import { genAi } from './gen-ai.ts';
import { mastra } from './mastra.ts';
import { openInference } from './openinference.ts';
import { strands } from './strands.ts';
import { vercelAi } from './vercel-ai.ts';

/** Every convention of spans that is understood; the first that recognises a span reads it. */
export const spanConventions: readonly SpanConvention[] = [
  claudeCode,
  claudeCodeSpans,
  codex,
  vercelAi,
  openInference,
  mastra,
  strands,
  genAi,
];
