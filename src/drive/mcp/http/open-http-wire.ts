import { SSEClientTransport, SseError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AssayError } from '../../../domain/errors.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { OpenSessionOptions } from '../session.ts';
import { type Wire, type WireEnd, WireError, type WireListener } from '../wire.ts';
import { longestMessageBytes } from '../wire-limits.ts';
import { withinLimits } from '../within-limits.ts';
import { checkedFetch } from './checked-fetch.ts';
import { type HttpAddress, type HttpDefinition, httpAddressOf } from './http-address.ts';
import { SdkWire } from './sdk-wire.ts';

/** How often the SDK asks for the rest of an answer whose stream broke off. */
const resumption = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 2,
};

type Options = Pick<OpenSessionOptions, 'env' | 'timeoutMs' | 'signal'>;

/** A wire over streamable HTTP, or over the older pair of an event stream and posts. */
export async function openHttpWire(
  definition: HttpDefinition,
  options: Options,
  listener: WireListener,
): Promise<Wire> {
  const address = httpAddressOf(definition, options.env);
  return definition.transport === 'sse'
    ? openEventStream(address, options, listener)
    : openStreamable(address, listener);
}

async function openStreamable({ url, headers, redact }: HttpAddress, listener: WireListener): Promise<Wire> {
  const fetch = checkedFetch({
    redact,
    hasAnswers: true,
    onTooLong: () => wire.end(tooLong),
    onFailure: () => undefined,
  });
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch,
    reconnectionOptions: resumption,
  });
  const wire = new SdkWire(transport, listener, redact);
  await transport.start();
  return wire;
}

/** The transport would open a stream that broke off again, on which the server knows nothing of the session. */
async function openEventStream(address: HttpAddress, options: Options, listener: WireListener): Promise<Wire> {
  const { url, headers, redact } = address;
  let failure: WireError | undefined;
  const fetch = checkedFetch({
    redact,
    hasAnswers: false,
    onTooLong: () => wire.end(tooLong),
    onFailure: (error) => {
      failure = error;
    },
  });
  const transport = new SSEClientTransport(url, { requestInit: { headers }, fetch });
  const wire = new SdkWire(transport, listener, redact);
  let isOpen = false;
  const onUnreadable = transport.onerror;
  transport.onerror = (error) => {
    if (isOpen && SseError.isInstance(error)) wire.end({ code: 'MCP_SERVER_DIED', what: 'closed its event stream' });
    else onUnreadable?.(error);
  };
  const opening = transport.start().then(() => {
    isOpen = true;
  });
  try {
    await withinLimits(opening, options, 'an event stream');
  } catch (error) {
    await transport.close();
    throw failure ?? notOpened(error, options, redact);
  }
  return wire;
}

const tooLong: WireEnd = {
  code: 'MCP_PROTOCOL_VIOLATED',
  what: `sent a message of more than ${longestMessageBytes} bytes`,
};

function notOpened(error: unknown, { timeoutMs }: Options, redact: Redact): unknown {
  if (error instanceof AssayError) {
    if (error.code !== 'MCP_SERVER_TIMEOUT') return error;
    return new WireError({ code: error.code, what: `did not begin an event stream within ${timeoutMs} ms` });
  }
  const why = printable(redact(error instanceof Error ? error.message : String(error)));
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: `did not begin an event stream: ${why}` });
}
