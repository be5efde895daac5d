import {
  type CallReply,
  type CallRequest,
  contentText,
  countIn,
  isGiven,
  type JsonObject,
  openingOf,
  recordIn,
  recordsIn,
  someCounts,
  textIn,
  type WireApi,
} from './wire-api.ts';

const modelPath = /\/models\/([^/:]+):(?:generateContent|streamGenerateContent)$/;

/** Google's Gemini. */
export const gemini: WireApi = {
  name: 'gemini',
  isCall: (pathname) => modelPath.test(pathname),
  read,
  withModel: (body, pathname, model) => ({
    body,
    pathname: pathname.replace(modelPath, (path) => path.replace(/(?<=\/models\/)[^/:]+/, encodeURIComponent(model))),
  }),
  withMaxOutputTokens: (body, maxOutputTokens) => {
    const key = 'generation_config' in body ? 'generation_config' : 'generationConfig';
    return { ...body, [key]: { ...recordIn(body[key]), maxOutputTokens } };
  },
  firstToken: /"(?:text|functionCall)"\s*:/,
  isFact: () => true,
  readReply,
};

function read(body: JsonObject, pathname: string): CallRequest {
  const contents = recordsIn(body.contents);
  const system = contentText(recordIn(body.systemInstruction ?? body.system_instruction).parts);
  const given = contents.filter(isGiven).map(({ parts }) => contentText(parts));
  const config = recordIn(body.generationConfig ?? body.generation_config);
  const thinking = recordIn(config.thinkingConfig);
  const declared = recordsIn(body.tools).flatMap((tool) =>
    recordsIn(tool.functionDeclarations ?? tool.function_declarations),
  );
  return {
    model: decodeURIComponent(modelPath.exec(pathname)?.[1] ?? ''),
    system,
    messages: contents,
    openingText: openingOf(contents)
      .map(({ parts }) => contentText(parts))
      .join('\n'),
    promptText: [system, ...given].join('\n'),
    tools: declared.map(({ name }) => textIn(name)),
    maxOutputTokens: countIn(config.maxOutputTokens),
    leastOutputTokens: (countIn(thinking.thinkingBudget) ?? 0) + 1,
    continuesStored: typeof body.cachedContent === 'string',
  };
}

/** Each piece of a stream repeats the counts up to it. */
function readReply(pieces: readonly JsonObject[]): CallReply {
  const usage = recordIn(pieces.findLast(({ usageMetadata: counts }) => counts)?.usageMetadata);
  const finished = pieces
    .flatMap(({ candidates }) => recordsIn(candidates))
    .findLast(({ finishReason: reason }) => typeof reason === 'string');
  const blocked = pieces.map(({ promptFeedback }) => textIn(recordIn(promptFeedback).blockReason)).find(Boolean);
  const failed = pieces.find(({ error }) => error);
  const prompt = countIn(usage.promptTokenCount);
  const isComplete = finished !== undefined || blocked !== undefined;
  const thoughts = countIn(usage.thoughtsTokenCount) ?? 0;
  // Gemini leaves out numbers that are zero, which cannot be the one of an answer that is there.
  const answer = countIn(usage.candidatesTokenCount) ?? (pieces.some(holdsAnswer) ? undefined : 0);
  return {
    respondedAs: textIn(pieces.find(({ modelVersion }) => modelVersion)?.modelVersion) || undefined,
    stopReason: textIn(finished?.finishReason) || blocked,
    usage:
      prompt === undefined || answer === undefined || !isComplete
        ? undefined
        : {
            inputTokens: prompt + (countIn(usage.toolUsePromptTokenCount) ?? 0),
            outputTokens: answer + thoughts,
            ...someCounts({ cachedInputTokens: countIn(usage.cachedContentTokenCount), reasoningTokens: thoughts }),
          },
    error: failed && (textIn(recordIn(failed.error).message) || 'the provider reported an error'),
    isComplete,
  };
}

function holdsAnswer({ candidates }: JsonObject): boolean {
  const parts = recordsIn(candidates).flatMap(({ content }) => recordsIn(recordIn(content).parts));
  return parts.some(({ thought, text, functionCall }) => thought !== true && (textIn(text) !== '' || functionCall));
}
