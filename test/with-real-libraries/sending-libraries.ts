/** A library that sends traces, and in which ways its traces tell less than the model served. */
export interface SendingLibrary {
  /** As `scripts/test-traces.mjs` names its packages. */
  readonly packages: string;
  /** File in `senders`. */
  readonly sender: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The system prompt is not in its spans. */
  readonly hidesSystemPrompt?: true;
  /** Tools are not in its spans, only the messages to the model. */
  readonly hidesTools?: true;
  /** The error of a tool is in its spans without the reason. */
  readonly hidesToolErrors?: true;
  /** It ends no span for a request that fails. */
  readonly hidesFailedRequests?: true;
  /** It drops all but the last of several tool calls in one stream. */
  readonly dropsParallelCalls?: true;
}

export const sendingLibraries: Readonly<Record<string, SendingLibrary>> = {
  'the Vercel AI SDK 5': { packages: 'vercel-ai-5', sender: 'vercel-ai.mjs' },
  'the Vercel AI SDK 6': { packages: 'vercel-ai-6', sender: 'vercel-ai.mjs' },
  'streams of the Vercel AI SDK 6': {
    packages: 'vercel-ai-6',
    sender: 'vercel-ai.mjs',
    env: { WEATHER_STREAMS: 'yes' },
  },
  'the Vercel AI SDK 7': { packages: 'vercel-ai-7', sender: 'vercel-ai-7.mjs' },
  'OpenInference for OpenAI': {
    packages: 'openinference-openai',
    sender: 'openinference-openai.mjs',
    hidesTools: true,
    hidesFailedRequests: true,
  },
  'OpenInference for Anthropic': { packages: 'openinference-anthropic', sender: 'openinference-anthropic.mjs' },
  'OpenInference for LangGraph': { packages: 'openinference-langgraph', sender: 'openinference-langgraph.mjs' },
  'the OpenAI Agents SDK': {
    packages: 'openai-agents',
    sender: 'openai-agents.mjs',
    hidesSystemPrompt: true,
    hidesToolErrors: true,
  },
  'OpenTelemetry for OpenAI, with messages as logs': {
    packages: 'opentelemetry-openai',
    sender: 'opentelemetry-openai.mjs',
    hidesTools: true,
  },
  Mastra: { packages: 'mastra', sender: 'mastra.mjs' },
  OpenLLMetry: { packages: 'openllmetry', sender: 'openllmetry.mjs', hidesTools: true, hidesFailedRequests: true },
  'Strands Agents': { packages: 'strands', sender: 'strands.mjs', dropsParallelCalls: true },
  'Strands Agents with the newest names': {
    packages: 'strands',
    sender: 'strands.mjs',
    env: { OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental' },
    dropsParallelCalls: true,
  },
};
