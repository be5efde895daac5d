import type { HandCall } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';

const protocolVersion = '2026-01-26';
const methodNotFound = -32_601;
const refused = -32_000;

/** Something that the app did, in words for people. */
export interface AppNote {
  readonly kind: 'info' | 'problem' | 'link';
  readonly text: string;
}

/** The page around the frame of an app. */
export interface AppHost {
  readonly theme: 'light' | 'dark';
  readonly tool: Readonly<Record<string, unknown>>;
  /** The call whose result the app shows. */
  readonly call: HandCall;
  /** Sends a message into the frame. */
  readonly post: (message: Readonly<Record<string, unknown>>) => void;
  /** Sends a request of the app to the server; rejects with why it may not. */
  readonly request: (method: string, params: Readonly<Record<string, unknown>>) => Promise<HandCall>;
  readonly resize: (height: number) => void;
  readonly note: (note: AppNote) => void;
}

type Params = Readonly<Record<string, unknown>>;

/** Answers the messages of an app in a frame as a host of MCP Apps does. */
export async function answerApp(message: unknown, host: AppHost): Promise<void> {
  if (!isRecord(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return;
  const { id, method } = message;
  const params = isRecord(message.params) ? message.params : {};
  if (id === undefined) {
    heardFromApp(method, params, host);
    return;
  }
  try {
    host.post({ jsonrpc: '2.0', id, result: await resultFor(method, params, host) });
  } catch (error) {
    const isKnown = error instanceof AppError;
    const code = isKnown ? error.code : refused;
    const text = error instanceof Error ? error.message : String(error);
    host.note({ kind: 'problem', text: `${method} was refused: ${text}` });
    host.post({ jsonrpc: '2.0', id, error: { code, message: text } });
  }
}

class AppError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

async function resultFor(method: string, params: Params, host: AppHost): Promise<Params> {
  switch (method) {
    case 'ui/initialize':
      return greeting(host);
    case 'ping':
      return {};
    case 'tools/call':
    case 'resources/read':
      return answerOf(await host.request(method, params));
    case 'ui/open-link':
      return linkNote(params.url, host);
    case 'ui/message':
      host.note({ kind: 'info', text: `Message to the chat: ${textIn(params.content)}` });
      return {};
    case 'ui/update-model-context':
      host.note({ kind: 'info', text: `Context for the model: ${textIn(params.content ?? params.structuredContent)}` });
      return {};
    case 'ui/request-display-mode':
      return { mode: 'inline' };
    default:
      throw new AppError(methodNotFound, `This host does not answer ${method}.`);
  }
}

function greeting({ theme, tool }: AppHost): Params {
  return {
    protocolVersion,
    hostInfo: { name: 'assay', version: '1' },
    hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
    hostContext: {
      theme,
      toolInfo: { tool },
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      platform: 'web',
    },
  };
}

function answerOf({ result, error }: HandCall): Params {
  if (error !== null) throw new AppError(typeof error.code === 'number' ? error.code : refused, error.message);
  return isRecord(result) ? result : {};
}

function linkNote(url: unknown, host: AppHost): Params {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') throw new AppError(refused, 'Invalid URL');
  host.note({ kind: 'link', text: parsed.href });
  return {};
}

/** The text of a block or of several; other content as JSON. */
function textIn(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) => (isRecord(block) && typeof block.text === 'string' ? block.text : JSON.stringify(block)))
    .join(' ');
}

const tallest = 1_200;

function heardFromApp(method: string, params: Params, host: AppHost): void {
  switch (method) {
    case 'ui/notifications/initialized':
      sendCall(host);
      break;
    case 'ui/notifications/size-changed':
      if (typeof params.height === 'number') host.resize(Math.min(tallest, Math.max(40, Math.ceil(params.height))));
      break;
    case 'ui/notifications/sandbox-blocked':
      host.note({
        kind: 'problem',
        text: `Blocked by the policy: ${String(params.directive)} ${String(params.address)}`,
      });
      break;
    case 'notifications/message':
      host.note({ kind: 'info', text: `Log: ${textIn(params.data)}` });
      break;
  }
}

/** Gives the app the call that it shows. */
function sendCall({ call, post }: AppHost): void {
  const args = isRecord(call.params.arguments) ? call.params.arguments : {};
  post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: args } });
  if (isRecord(call.result)) post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: call.result });
  else
    post({ jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: { reason: call.error?.message ?? '' } });
}

/** The UI resource that a tool names for its results. */
export function appUriOf({ _meta: meta }: Params): string | undefined {
  if (!isRecord(meta)) return undefined;
  const uri = isRecord(meta.ui) ? meta.ui.resourceUri : meta['ui/resourceUri'];
  return typeof uri === 'string' && uri !== '' ? uri : undefined;
}
