import type { ConnectorSpec } from '../../../../drive/conversation/conversation-config.ts';
import { isRecord, mapTexts, parseJson } from '../../../../shared/json.ts';
import { readCode, transformStep } from './code-section.ts';
import { Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { providerCommand } from './programs.ts';
import { dataOfFile, existsBeside, isCode, referenceIn } from './referenced-files.ts';

/** A provider as a connector. */
export interface Provider {
  readonly name: string;
  readonly spec: ConnectorSpec;
  readonly item: Located;
  /** Labels of the prompts that it gets; undefined for all. */
  readonly prompts: readonly string[] | undefined;
}

const bodyFields = {
  openai: [
    ...['top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'seed', 'response_format', 'tool_choice'],
    ...['parallel_tool_calls', 'reasoning_effort', 'reasoning', 'max_completion_tokens', 'max_output_tokens'],
    ...['logit_bias', 'user', 'store', 'metadata', 'text', 'verbosity', 'service_tier'],
  ],
  anthropic: ['top_p', 'top_k', 'stop_sequences', 'tool_choice', 'thinking', 'metadata', 'service_tier'],
} as const;

const addressFields = ['apiKey', 'apiKeyEnvar', 'apiBaseUrl', 'apiHost', 'headers', 'organization'];

/** Reads all providers of a config. */
export async function readProviders(
  section: Located,
  hasChats: boolean,
  reading: PromptfooReading,
): Promise<Provider[]> {
  const providers: Provider[] = [];
  for (const item of section.items()) providers.push(...(await readProvider(item, hasChats, reading)));
  const names = new Set<string>();
  return providers.map((provider) => {
    const name = names.has(provider.name) ? `${provider.name} (${names.size + 1})` : provider.name;
    names.add(name);
    return { ...provider, name };
  });
}

async function readProvider(item: Located, hasChats: boolean, reading: PromptfooReading): Promise<Provider[]> {
  if (item.text !== undefined) {
    if (dataFileIn(item.text) !== undefined) return readProviderFile(item.text, item, hasChats, reading);
    return built(item.text, item, undefined, hasChats, reading);
  }
  if (!isRecord(item.value)) {
    reading.found.problems.push(item.problem('a provider must be a text or an object with an `id`'));
    return [];
  }
  const id = item.get('id').text;
  if (id !== undefined) {
    if (dataFileIn(id) !== undefined) return readProviderFile(id, item.get('id'), hasChats, reading);
    return built(id, item, item, hasChats, reading);
  }
  const [[name, options] = [], ...others] = item.entries();
  if (name !== undefined && options && others.length === 0 && isRecord(options.value)) {
    return built(name, item, options, hasChats, reading);
  }
  reading.found.problems.push(item.problem('a provider needs an `id`'));
  return [];
}

/** The file with providers that a text names; code is a provider itself. */
function dataFileIn(text: string): string | undefined {
  const path = referenceIn(text)?.path;
  return path !== undefined && /\.(?:ya?ml|json)$/i.test(path) ? path : undefined;
}

async function readProviderFile(
  written: string,
  item: Located,
  hasChats: boolean,
  reading: PromptfooReading,
): Promise<Provider[]> {
  const data = await dataOfFile(dataFileIn(written) ?? '', item, reading);
  return data ? readProviders(data, hasChats, reading) : [];
}

const otherProviders =
  'Use a model of OpenAI, Anthropic, Google, Vertex, Bedrock, Mistral, Ollama or another OpenAI-compatible server, an http address, exec: …, or a class in JavaScript or Python; write a conversation with a connector for others.';

/** Provider with what its kind makes of its config. */
function built(
  id: string,
  item: Located,
  options: Located | undefined,
  hasChats: boolean,
  reading: PromptfooReading,
): Provider[] {
  const supported = ['id', 'label', 'config', 'transform', 'prompts'];
  if (options) refuseOtherKeys(options, supported, 'of a provider', reading);
  const config = options?.get('config') ?? new Located(undefined, item.source, item.path);
  const kind = kinds.find(({ pattern }) => pattern.test(id));
  if (!kind) {
    reading.found.problems.push(item.problem(`the provider "${id}" has no equal in Assay`, otherProviders));
    return [];
  }
  const spec = kind.build(id, config, item, { hasChats, reading });
  if (!spec) return [];
  const transform = options?.get('transform');
  const code = transform && !transform.isMissing ? readCode(transform, '`transform`', reading) : undefined;
  const steps = [
    ...(spec.transform === undefined ? [] : [spec.transform].flat()),
    ...(code ? [transformStep(code)] : []),
  ];
  const labels = options?.get('prompts');
  return [
    {
      name: options?.get('label').text ?? id,
      spec: { ...spec, ...(steps.length > 0 && { transform: steps }) },
      item,
      prompts: labels && !labels.isMissing ? labels.items().flatMap(({ text }) => text ?? []) : undefined,
    },
  ];
}

interface BuildContext {
  readonly hasChats: boolean;
  readonly reading: PromptfooReading;
}

type Build = (id: string, config: Located, item: Located, context: BuildContext) => ConnectorSpec | undefined;

const kinds: readonly { readonly pattern: RegExp; readonly build: Build }[] = [
  {
    pattern: /^openai:(?!(?:embeddings?|assistant|realtime|image|completion|moderation|transcription):)/,
    build: openai,
  },
  { pattern: /^anthropic:(?:messages:|claude)/, build: anthropic },
  {
    pattern: /^(?:google:(?!live:|image:|video:)|vertex:|bedrock:(?!kb:|agents?:|nova-sonic|embeddings?:))/,
    build: ofConfig,
  },
  { pattern: /^https?(?:$|:\/\/)/, build: http },
  { pattern: /^exec:/, build: exec },
  { pattern: /^echo$/, build: echo },
  { pattern: /^(?:file:\/\/|python:).*\.(?:py|[cm]?[jt]s)(?::\w+)?$/i, build: code },
  { pattern: /^(?:[a-z]+:)/, build: compatible },
];

/** Servers that speak the chat completions of OpenAI: their address, and the variable with their key. */
const compatibleServers: Readonly<Record<string, readonly [url: string, key: string | undefined]>> = {
  cerebras: ['https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'],
  deepseek: ['https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'],
  fireworks: ['https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'],
  groq: ['https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
  localai: ['http://127.0.0.1:8080/v1', undefined],
  mistral: ['https://api.mistral.ai/v1', 'MISTRAL_API_KEY'],
  ollama: ['http://127.0.0.1:11434/v1', undefined],
  openrouter: ['https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
  perplexity: ['https://api.perplexity.ai', 'PERPLEXITY_API_KEY'],
  togetherai: ['https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
  xai: ['https://api.x.ai/v1', 'XAI_API_KEY'],
};

function compatible(id: string, config: Located, item: Located, { reading }: BuildContext): ConnectorSpec | undefined {
  const [, name = '', model = ''] = /^([a-z]+):(?:chat:)?(.+)$/.exec(id) ?? [];
  const server = Object.hasOwn(compatibleServers, name) ? compatibleServers[name] : undefined;
  if (!server || /^(?:completion|embeddings?|image):/.test(model)) {
    reading.found.problems.push(item.problem(`the provider "${id}" has no equal in Assay`, otherProviders));
    return undefined;
  }
  const [url, keyVariable] = server;
  const spec = modelSpec('openai', model, config, reading);
  // Each server has its own variable for the key, and some need none.
  const key = keyVariable === undefined ? 'none' : `\${${keyVariable}}`;
  const headers = { authorization: `Bearer ${key}`, ...spec.headers };
  return { type: 'openai-chat', ...spec, baseUrl: spec.baseUrl ?? url, headers };
}

/** A model that Assay reaches through `models.providers` of its config, with the settings of the environment. */
function ofConfig(id: string, config: Located, _item: Located, { reading }: BuildContext): ConnectorSpec {
  const [, provider = '', model = ''] = /^(\w+):(?:(?:messages|chat|converse):)?(.+)$/.exec(id) ?? [];
  const limits = ['max_tokens', 'maxOutputTokens', 'max_output_tokens', 'maxTokens'];
  const generation = config.get('generationConfig');
  for (const part of [config, generation]) {
    const own = part === config ? ['generationConfig'] : [];
    for (const [key, { isMissing }] of part.entries()) {
      if (isMissing || [...own, ...limits, 'temperature'].includes(key)) continue;
      const variable = placeVariables[key];
      if (variable !== undefined) {
        const message = `\`${key}\` is ignored`;
        reading.found.warnings.push({ at: part.keyAt(key), message, hint: `Set ${variable} in the environment.` });
        continue;
      }
      const message = `\`${key}\` of this provider has no equal in Assay`;
      reading.found.problems.push({ at: part.keyAt(key), message, hint: 'Remove it to run the rest of the file.' });
    }
  }
  const settingOf = (...keys: string[]): unknown =>
    [config, generation].flatMap((part) => keys.map((key) => part.get(key).value)).find((value) => value !== undefined);
  const [temperature, maxTokens] = [settingOf('temperature'), settingOf(...limits)];
  return {
    type: 'model',
    headers: {},
    config: {
      model: `${provider}/${model}`,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
  };
}

/** Where a model runs decides nothing about its answer. */
const placeVariables: Readonly<Record<string, string>> = {
  region: 'AWS_REGION (Bedrock) or GOOGLE_CLOUD_LOCATION (Vertex)',
  projectId: 'GOOGLE_CLOUD_PROJECT',
};

function openai(id: string, config: Located, _item: Located, { reading }: BuildContext): ConnectorSpec {
  const [, form, named] = /^openai:(?:(chat|responses):)?(.*)$/.exec(id) ?? [];
  const type = form === 'responses' ? 'openai-responses' : 'openai-chat';
  return { type, ...modelSpec('openai', named ?? '', config, reading) };
}

function anthropic(id: string, config: Located, _item: Located, { reading }: BuildContext): ConnectorSpec {
  return { type: 'anthropic', ...modelSpec('anthropic', id.replace(/^anthropic:(?:messages:)?/, ''), config, reading) };
}

/** Connector to a model, from the config of a provider. */
function modelSpec(
  provider: 'openai' | 'anthropic',
  model: string,
  config: Located,
  reading: PromptfooReading,
): Pick<ConnectorSpec, 'baseUrl' | 'headers' | 'config' | 'transform'> {
  const plain = ['temperature', 'max_tokens', 'tools', 'passthrough'];
  refuseOtherKeys(config, [...addressFields, ...plain, ...bodyFields[provider]], 'of this provider', reading);
  const fields = isRecord(config.value) ? config.value : {};
  for (const [key, { text }] of config.entries()) {
    if (text !== undefined && referenceIn(text)) {
      const message = `\`${key}\` from a file has no equal in Assay`;
      reading.found.problems.push({ at: config.keyAt(key), message, hint: 'Write its content into the config.' });
    }
  }
  const body = Object.fromEntries(bodyFields[provider].flatMap((key) => (key in fields ? [[key, fields[key]]] : [])));
  const passthrough = isRecord(fields.passthrough) ? fields.passthrough : {};
  const format = isRecord(fields.response_format) ? fields.response_format.type : undefined;
  return {
    ...addressOf(provider, config),
    config: {
      model,
      ...(fields.temperature !== undefined && { temperature: fields.temperature }),
      ...(fields.max_tokens !== undefined && { maxTokens: fields.max_tokens }),
      ...(fields.tools !== undefined && { tools: fields.tools }),
      body: { ...body, ...passthrough },
    },
    // Such answers are objects in promptfoo.
    ...(format === 'json_schema' && { transform: 'JSON.parse(output)' }),
  };
}

function addressOf(provider: 'openai' | 'anthropic', config: Located): Pick<ConnectorSpec, 'baseUrl' | 'headers'> {
  const text = (key: string): string | undefined => {
    const written = config.get(key).text;
    return written === undefined ? undefined : withVariables(written);
  };
  const variable = config.get('apiKeyEnvar').text;
  const key = text('apiKey') ?? (variable === undefined ? undefined : `\${${variable}}`);
  const host = text('apiHost');
  const baseUrl = text('apiBaseUrl') ?? (host === undefined ? undefined : `https://${host}/v1`);
  const organization = text('organization');
  const ofKey = provider === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': String(key) };
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    headers: {
      ...(key !== undefined && ofKey),
      ...(organization !== undefined && { 'OpenAI-Organization': organization }),
      ...textsOf(config.get('headers')),
    },
  };
}

/** Texts by name, with variables in the notation of Assay. */
function textsOf(item: Located): Record<string, string> {
  return Object.fromEntries(item.entries().map(([key, { value }]) => [key, withVariables(String(value))]));
}

/** Variables of the environment in the notation of Assay. */
function withVariables(text: string): string {
  return text.replace(/\{\{\s*env\.(\w+)\s*\}\}/g, (_, name: string) => `\${${name}}`);
}

function http(
  id: string,
  config: Located,
  item: Located,
  { hasChats, reading }: BuildContext,
): ConnectorSpec | undefined {
  const supported = ['url', 'method', 'headers', 'body', 'queryParams', 'transformResponse', 'responseParser'];
  refuseOtherKeys(config, supported, 'of an HTTP provider', reading);
  const url = config.get('url').text ?? (id.includes('://') ? id : undefined);
  if (url === undefined) {
    reading.found.problems.push(item.problem('`url` of the HTTP provider is missing'));
    return undefined;
  }
  const method = (config.get('method').text ?? 'GET').toUpperCase();
  const sent = method === 'GET' ? config.get('queryParams') : config.get('body');
  if (method !== 'GET' && !config.get('queryParams').isMissing) {
    const message = `\`queryParams\` of a ${method} request have no equal in Assay`;
    reading.found.problems.push(config.get('queryParams').problem(message, 'Add them to the `url`.'));
  }
  if (sent.isMissing) {
    const key = method === 'GET' ? 'queryParams' : 'body';
    const hint = config.get('body').isMissing ? undefined : 'Add `method: POST`; promptfoo sends GET without it.';
    reading.found.problems.push(
      item.problem(`\`${key}\` of the HTTP provider is missing: the prompt is not sent`, hint),
    );
    return undefined;
  }
  const body = bodyOf(sent, hasChats, reading);
  const step = responseStep(config, reading);
  refuseTemplates(new Located(withVariables(url), config.source, config.get('url').path), reading);
  return {
    type: 'http',
    baseUrl: withVariables(url),
    headers: textsOf(config.get('headers')),
    config: { method, body, response: { text: '$' } },
    transform: step,
  };
}

/** The body with the placeholders of Assay. */
function bodyOf(item: Located, hasChats: boolean, reading: PromptfooReading): unknown {
  const data = item.text === undefined ? item.value : parseJson(item.text);
  if (data === undefined) {
    const message = 'a body that is not JSON before the prompt is filled in has no equal in Assay';
    reading.found.problems.push(item.problem(message, 'Write it as an object, with `{{prompt}}` as a text.'));
    return undefined;
  }
  return mapTexts(data, (text) => {
    const own = text.replace(
      /\{\{\s*prompt(?:\s*\|\s*(?:dump|safe))?\s*\}\}/g,
      hasChats ? '{{messages}}' : '{{message}}',
    );
    const other = /\{\{(?!message)[^}]*\}\}|\{%/.exec(own);
    if (other) {
      const message = `\`${other[0]}\` in the body has no equal in Assay; only \`{{prompt}}\` is supported`;
      reading.found.problems.push(item.problem(message));
    }
    return own;
  });
}

function refuseTemplates(item: Located, reading: PromptfooReading): void {
  if (/\{\{|\{%/.test(item.text ?? ''))
    reading.found.problems.push(item.problem('templates in an address have no equal in Assay'));
}

const parsed = 'const text = output; let json = null; try { json = JSON.parse(output); } catch {}';

/** JavaScript that makes the output of an answer's body, as promptfoo does. */
function responseStep(config: Located, reading: PromptfooReading): string {
  const item = config.get('transformResponse').isMissing
    ? config.get('responseParser')
    : config.get('transformResponse');
  const code = item.isMissing ? { code: 'json ?? text' } : readCode(item, '`transformResponse`', reading);
  if (!code) return 'output';
  if (!('code' in code)) {
    const message = '`transformResponse` from a file has no equal in Assay';
    reading.found.problems.push(item.problem(message, 'Write it as an expression over `json` and `text`.'));
    return 'output';
  }
  const source = code.code.trim().replace(/;+$/, '');
  const isBody = /^return\b|[;\n]\s*return\b/.test(source) && !/^(?:async\s+)?(?:function\b|\()/.test(source);
  const body = isBody
    ? source
    : `const made = (${source}\n); return typeof made === 'function' ? made(json, text) : made;`;
  return `${parsed}\n${body}`;
}

function exec(id: string, config: Located, item: Located, { hasChats, reading }: BuildContext): ConnectorSpec {
  refuseOtherKeys(config, [], 'of an exec provider', reading);
  refuseChats('exec', item, hasChats, reading);
  return { type: 'command', headers: {}, config: { command: id.replace(/^exec:\s*/, '') } };
}

/** Answers with the prompt, in brackets, because white space around what a program prints is not its answer. */
function echo(_id: string, config: Located, item: Located, { hasChats, reading }: BuildContext): ConnectorSpec {
  refuseOtherKeys(config, [], 'of an echo provider', reading);
  refuseChats('echo', item, hasChats, reading);
  return { type: 'command', headers: {}, config: { command: "printf '[%s]'" }, transform: 'output.slice(1, -1)' };
}

function refuseChats(kind: string, item: Located, hasChats: boolean, { found }: PromptfooReading): void {
  if (!hasChats) return;
  const hint = 'Write the prompt as a text.';
  found.problems.push(item.problem(`a chat prompt for an ${kind} provider has no equal in Assay`, hint));
}

/** A class in JavaScript, or a function in Python. */
function code(
  id: string,
  config: Located,
  item: Located,
  { hasChats, reading }: BuildContext,
): ConnectorSpec | undefined {
  const { path = '', exportName } = referenceIn(id.replace(/^python:(?:file:\/\/)?/, 'file://')) ?? {};
  if (/\.[cm]?ts$/i.test(path)) {
    const hint = 'Write it in JavaScript, or write a conversation with a connector of the type `module`.';
    reading.found.problems.push(item.problem(`a provider in TypeScript (${path}) has no equal in Assay`, hint));
    return undefined;
  }
  if (!existsBeside(path, reading)) {
    reading.found.problems.push(item.problem(`there is no file ${path}`));
    return undefined;
  }
  const name = exportName ?? (isCode(path) ? 'default' : 'call_api');
  const command = providerCommand({ path, name, config: config.value, isChat: hasChats });
  return { type: 'command', headers: {}, config: { command }, transform: 'JSON.parse(output).output' };
}
