import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf } from './http-server.ts';

type Agent = (request: { messages: { content: string }[] }) => string;

const example = new URL('../../../examples/experiment/', import.meta.url);
const trialsInRound = 96;

/** The two assistants of the example behind HTTP. Requests after the first round wait until they are released. */
export class HeldAgents implements AsyncDisposable {
  #received = 0;
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });
  readonly #server: Server;

  private constructor(agents: Readonly<Record<string, Agent>>) {
    this.#server = createServer(async (request, response) => {
      const body = JSON.parse(await bodyOf(request)) as { messages: { content: string }[] };
      this.#received += 1;
      if (this.#received > trialsInRound) await this.#released;
      const content = agents[request.url?.slice(1) ?? '']?.(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ role: 'assistant', content }));
    });
  }

  static async start(): Promise<HeldAgents> {
    const held = new HeldAgents((await import(new URL('agent.mjs', example).href)) as Record<string, Agent>);
    await new Promise<void>((resolve) => held.#server.listen(0, '127.0.0.1', resolve));
    return held;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  release(): void {
    this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The example as a project, with the assistants at an address. */
export async function experimentFiles(baseUrl: string): Promise<Record<string, string>> {
  const connector = (name: string) => ({ type: 'http', baseUrl, config: { path: `/${name}` } });
  const connectors = { before: connector('before'), after: connector('after') };
  return {
    'assay.config.json': JSON.stringify({ scenarios: ['orders.yaml'], connectors }),
    'orders.yaml': await readFile(new URL('orders.yaml', example), 'utf8'),
    'orders.jsonl': await readFile(new URL('orders.jsonl', example), 'utf8'),
  };
}
