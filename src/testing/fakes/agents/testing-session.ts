import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import type { AgentExit, AgentLaunch, AgentProcess, AgentSession, AgentSettings } from '../../../drive/agents/agent.ts';
import { PolicyApprover } from '../../../drive/approvals/approver.ts';

interface TestingRequest extends Partial<Omit<AgentSession, 'settings' | 'start' | 'emit' | 'home' | 'workDirectory'>> {
  readonly settings?: Partial<AgentSettings>;
  /** Shell script that stands for the agent's program. */
  readonly script?: string;
  /** Called with each line before the agent sees it, to stop the session in the middle. */
  readonly onLine?: (line: string, testing: TestingSession) => void;
}

/** A session for tests: real processes in a temporary folder, without isolation and limits. */
export interface TestingSession extends AsyncDisposable {
  readonly session: AgentSession;
  readonly events: readonly UnstampedEvent[];
  readonly launches: readonly AgentLaunch[];
  readonly folder: string;
  /** Ends what runs, as when the time is up or when the user interrupts. */
  end(why: 'time' | 'interrupt'): void;
}

/** Opens a session whose folder is removed with it. */
export async function openTestingSession(request: TestingRequest = {}): Promise<TestingSession> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-agent-'));
  const home = join(folder, 'home');
  const workDirectory = join(folder, 'work');
  const program = join(folder, 'agent');
  for (const part of [home, workDirectory]) await mkdir(part);
  await writeFile(program, `#!/bin/sh\n${request.script ?? 'exit 0'}\n`);
  await chmod(program, 0o755);
  return new RunningSession(folder, request, { home, workDirectory, program });
}

type Places = Pick<AgentSession, 'home' | 'workDirectory' | 'program'>;

class RunningSession implements TestingSession {
  readonly folder: string;
  readonly session: AgentSession;
  readonly events: UnstampedEvent[] = [];
  readonly launches: AgentLaunch[] = [];
  readonly #request: TestingRequest;
  readonly #running = new Set<{ kill(): void }>();
  #ending: 'time' | 'interrupt' | undefined;

  constructor(folder: string, request: TestingRequest, places: Places) {
    this.folder = folder;
    this.#request = request;
    const { settings, script: _script, onLine: _onLine, ...given } = request;
    const isStopped = (): boolean => this.#ending !== undefined;
    this.session = {
      prompt: 'Do the task.',
      model: undefined,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: places.home },
      mcpServers: {},
      maxTurns: undefined,
      approver: new PolicyApprover(undefined, {
        emit: (event) => this.events.push(event),
        signal: new AbortController().signal,
        repeat: 1,
        context: { directory: places.workDirectory, env: {} },
      }),
      ...places,
      ...given,
      settings: { env: {}, args: [], ...settings },
      emit: (event) => this.events.push(event),
      noteUsage: given.noteUsage ?? (() => undefined),
      get isStopped() {
        return isStopped();
      },
      start: (launch) => this.#start(launch),
    };
  }

  end(why: 'time' | 'interrupt'): void {
    this.#ending = why;
    for (const child of this.#running) child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end('interrupt');
    await rm(this.folder, { recursive: true, force: true });
  }

  #start(launch: AgentLaunch): AgentProcess {
    this.launches.push(launch);
    const { env, workDirectory } = this.session;
    const [program, ...args] = launch.argv;
    const child = spawn(program, args, { cwd: workDirectory, env: { ...env, ...launch.env }, detached: true });
    const group = { kill: () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM') };
    this.#running.add(group);
    child.on('exit', () => this.#running.delete(group));
    child.stdin.on('error', () => undefined);
    if (launch.stdin !== 'open') child.stdin.end(launch.stdin);
    const read = (['stdout', 'stderr'] as const).map((channel) => this.#read(child[channel], channel, launch));
    const ended = new Promise<AgentExit>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode, signal) =>
        Promise.all(read).then(() => resolve({ exitCode, signal, timedOut: this.#ending === 'time' }), reject),
      );
    });
    return {
      write: (text) => child.stdin.write(text),
      closeInput: () => child.stdin.end(),
      stop: () => {
        if (this.#running.has(group)) group.kill();
      },
      ended,
    };
  }

  async #read(stream: NodeJS.ReadableStream, channel: 'stdout' | 'stderr', launch: AgentLaunch): Promise<void> {
    for await (const line of createInterface({ input: stream })) {
      this.#request.onLine?.(line, this);
      launch.onLine(line, channel);
    }
  }
}
