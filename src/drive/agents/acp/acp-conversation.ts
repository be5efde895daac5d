import { AssayError } from '../../../domain/errors.ts';
import { counted } from '../../../shared/format.ts';
import type { AgentExit, AgentReport, AgentSession } from '../agent.ts';
import { concludeAgent, type OwnError } from '../conclude.ts';
import { fieldAt } from '../field-at.ts';
import type { JsonLineReader } from '../json-line-stream.ts';
import { type JsonObject, listOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { acpOwnError } from './acp-end.ts';
import { acpMcpServer } from './acp-mcp-server.ts';
import { AcpTerminals } from './acp-terminals.ts';
import { AcpUpdates } from './acp-updates.ts';
import { answerAgent } from './answer-agent.ts';
import { chooseModel } from './choose-model.ts';
import { JsonRpcPeer, RpcError } from './json-rpc-peer.ts';

const protocolVersion = 1;
const authenticationRequired = -32_000;
const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** One prompt to one agent over the Agent Client Protocol. */
export class AcpConversation implements JsonLineReader {
  readonly #session: AgentSession;
  readonly #narration: Narration;
  readonly #terminals: AcpTerminals;
  readonly #updates: AcpUpdates;
  readonly #peer: JsonRpcPeer;
  #ownError: OwnError | undefined;
  #fault: AssayError | undefined;
  /** Whether the agent has said how the prompt ended, so that how its process ends means nothing any more. */
  #isSettled = false;
  #sessionId: string | undefined;

  readonly handlers = { frame: (frame: JsonObject): void => this.#frame(frame) };

  constructor(session: AgentSession, narration: Narration, send: (line: string) => void) {
    this.#session = session;
    this.#narration = narration;
    this.#terminals = new AcpTerminals(session);
    this.#updates = new AcpUpdates(narration, (id) => this.#terminals.recordOf(id));
    const client = { session, terminals: this.#terminals, updates: this.#updates };
    this.#peer = new JsonRpcPeer(send, {
      onRequest: (method, params) => answerAgent(client, method, params),
      onNotification: (method, params) => this.#notification(method, params),
    });
  }

  kindOf(): string {
    return 'frame';
  }

  /** Has the agent do its task; resolves when it has ended in whatever way, and never rejects. */
  async hold(): Promise<void> {
    try {
      const sessionId = await this.#open();
      this.#sessionId = sessionId;
      const prompt = [{ type: 'text', text: this.#session.prompt }];
      const answer = await this.#peer.request('session/prompt', { sessionId, prompt });
      this.#settle(this.#updates.promptAnswered(answer));
    } catch (error) {
      this.#failed(error);
    }
    await this.#terminals.endAll();
    this.#updates.flush();
    for (const id of this.#terminals.ids) this.#updates.terminalEnded(id);
  }

  /** To be called when the agent's process has ended. */
  processEnded(): void {
    this.#peer.close(new Error('the process of the agent has ended'));
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const { sawWork, turnsBegun } = this.#narration;
    const turns = turnsBegun === 0 ? undefined : turnsBegun;
    const early = exit.exitCode === 0 ? { message: 'it ended before it had answered the prompt' } : undefined;
    const weighed = this.#isSettled ? { exitCode: 0, signal: null, timedOut: exit.timedOut } : exit;
    const ownError = this.#isSettled ? this.#ownError : early;
    const report = concludeAgent({ exit: weighed, ownError, sawWork, stderrTail, turns });
    return { ...report, exit, fault: this.#fault ?? report.fault };
  }

  async #open(): Promise<string> {
    const clientInfo = { name: 'assay', title: 'Assay', version: '1' };
    const agent = await this.#peer.request('initialize', { protocolVersion, clientCapabilities, clientInfo });
    const about = fieldAt(agent, 'agentInfo');
    // Nothing else tells the version of an agent that was started by a command.
    if (about !== undefined) this.#narration.other('agent-info', about);
    const offered = await this.#newSession(agent);
    const sessionId = textOf(fieldAt(offered, 'sessionId'));
    if (sessionId === undefined) throw new AssayError('AGENT_FAILED', 'the agent opened no session');
    const { model } = this.#session;
    const notice = model === undefined ? undefined : await chooseModel(model, { peer: this.#peer, sessionId, offered });
    if (notice !== undefined) this.#narration.notice(notice);
    return sessionId;
  }

  /** An agent that wants to be told how to log in is told to use the key of its environment. */
  async #newSession(agent: unknown): Promise<unknown> {
    const mcpServers = Object.entries(this.#session.mcpServers).map(([name, server]) => acpMcpServer(name, server));
    const params = { cwd: this.#session.workDirectory, mcpServers };
    try {
      return await this.#peer.request('session/new', params);
    } catch (error) {
      const methodIds = listOf(fieldAt(agent, 'authMethods')).map((method) => textOf(fieldAt(method, 'id')));
      const methodId = methodIds.find((id) => id !== undefined && /api[-_ ]?key/i.test(id));
      if (!isAboutLogin(error) || methodId === undefined) throw error;
      await this.#peer.request('authenticate', { methodId });
      return await this.#peer.request('session/new', params);
    }
  }

  #frame(frame: JsonObject): void {
    if (this.#isSettled) return;
    if (!this.#peer.receive(frame)) this.#narration.other('frame', frame);
    const { maxTurns } = this.#session;
    if (maxTurns === undefined || this.#narration.turnsBegun <= maxTurns || this.#isSettled) return;
    this.#settle({ message: `stopped at the limit of ${counted(maxTurns, 'turn')}` });
    this.#peer.notify('session/cancel', { sessionId: this.#sessionId });
    this.#peer.close(new Error('stopped'));
  }

  #notification(method: string, params: unknown): void {
    if (method === 'session/update') this.#updates.update(params);
    else this.#narration.other(method, params);
  }

  #settle(ownError: OwnError | undefined): void {
    this.#isSettled = true;
    this.#ownError = ownError;
  }

  #failed(error: unknown): void {
    if (this.#isSettled) return;
    if (error instanceof AssayError) this.#fault = error;
    else if (isAboutLogin(error))
      this.#fault = new AssayError('AGENT_NO_KEY', `the agent is not logged in: ${error.message}`);
    if (error instanceof RpcError) this.#settle(acpOwnError(error));
    else if (error instanceof AssayError) this.#settle({ message: error.message });
  }
}

function isAboutLogin(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === authenticationRequired;
}
