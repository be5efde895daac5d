import { AssayError, asAssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { PlacedCliMock } from '../../domain/tool-control/cli-mocks.ts';
import type { Border } from '../../domain/tool-control/fault-kinds.ts';
import type { PlacedMock } from '../../domain/tool-control/mocks.ts';
import { type Simulate, sharedState } from '../../domain/tool-control/simulate.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Model, Models } from '../models/model.ts';
import type {
  FailedSimulation,
  ProgramSimulator,
  SimulatedCall,
  Simulator,
  ToolSimulator,
} from '../tool-control/simulator.ts';
import { promptPlayer } from './prompt-player.ts';
import { type Part, programPart, toolPart } from './simulated-replies.ts';
import { type AnsweredCall, promptVersion } from './simulation-prompt.ts';

/** The parts of the run that a simulation uses. */
export interface SimulationContext {
  readonly models?: (() => Promise<Models>) | undefined;
  readonly redact?: ((text: string) => string) | undefined;
}

/** A mock that has its calls answered by a model. */
interface PlayedMock {
  readonly place: string;
  readonly simulate: Simulate & { readonly help?: string | undefined };
}

/** The tools of one server, or the programs of a scenario: they share a state. */
interface World {
  readonly border: Border;
  readonly server: string | undefined;
  state: Readonly<Record<string, unknown>>;
  readonly calls: AnsweredCall[];
  /** Calls are answered one after the other, because each depends on the state that the one before it left. */
  turn: Promise<unknown>;
}

/** Models that play the tools of one trial. What keeps them from doing so is never the fault of the agent that calls. */
export class Simulation {
  readonly #seed: number;
  readonly #emit: EmitTrace;
  readonly #context: SimulationContext;
  readonly #worlds = new Map<string, World>();

  constructor({ repeat }: Pick<Trial, 'repeat'>, emit: EmitTrace, context: SimulationContext) {
    this.#seed = repeat;
    this.#emit = emit;
    this.#context = context;
  }

  /** Plays the tools of a server; undefined where none of its mocks is simulated. */
  ofServer(server: string, mocks: readonly PlacedMock[]): ToolSimulator | undefined {
    const played = mocks.flatMap(({ mock, places }) =>
      mock.simulate ? [{ place: places.mock, simulate: mock.simulate }] : [],
    );
    return this.#simulator('mcp', server, played, toolPart);
  }

  /** Plays programs; `helpOf` gives the help text of one whose mock has none. */
  ofPrograms(
    mocks: readonly PlacedCliMock[],
    helpOf: (tool: string) => string | undefined,
  ): ProgramSimulator | undefined {
    const played = mocks.flatMap(({ mock, place, tool }) =>
      mock.simulate ? [{ place, simulate: { ...mock.simulate, help: mock.simulate.help ?? helpOf(tool) } }] : [],
    );
    return this.#simulator('cli', undefined, played, programPart);
  }

  #simulator<Answer>(
    border: Border,
    server: string | undefined,
    mocks: readonly PlayedMock[],
    part: Part<Answer>,
  ): Simulator<Answer> | undefined {
    if (mocks.length === 0) return undefined;
    const world = this.#worldOf(border, server, mocks);
    return {
      answer: (call, signal) => {
        const answer = world.turn.then(() => this.#answer(call, { world, mocks, part, signal }));
        world.turn = answer;
        return answer;
      },
    };
  }

  #worldOf(border: Border, server: string | undefined, mocks: readonly PlayedMock[]): World {
    const key = JSON.stringify([border, server]);
    const { state } = sharedState(mocks.map(({ simulate }) => simulate));
    const world = this.#worlds.get(key) ?? { border, server, state: {}, calls: [], turn: Promise.resolve() };
    world.state = { ...state, ...world.state };
    this.#worlds.set(key, world);
    return world;
  }

  async #answer<Answer>(call: SimulatedCall, playing: Playing<Answer>): Promise<Answer | FailedSimulation> {
    const { world, mocks, part, signal } = playing;
    const { tool, number: callNumber, place: rule, input } = call;
    const action = {
      ...({ type: 'tool-control', border: world.border, tool, callNumber, kind: 'simulate', rule } as const),
      ...(world.server !== undefined && { server: world.server }),
    };
    let isOver = false;
    const fail = (thrown: unknown): FailedSimulation => {
      const error = cannotPlay(call, thrown, signal);
      if (!isOver) this.#emit({ ...action, what: 'could not be answered by a model', failure: faultOf(error) });
      isOver = true;
      return { kind: 'failed', code: error.code, why: error.message };
    };
    // At once: a trial that is stopped is over before the model lets go.
    const onAbort = (): void => void fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    try {
      const simulate = mocks.find(({ place }) => place === call.place)?.simulate;
      if (!simulate) throw new AssayError('MOCK_UNUSABLE', `There is no simulated tool at ${rule}.`);
      const definition = definitionOf(call, simulate);
      const model = await this.#find(simulate.model);
      signal.throwIfAborted();
      const { instructions } = simulate;
      const request = { part, call, definition, instructions, signal, state: world.state, calls: world.calls };
      const { redact = (text: string) => text } = this.#context;
      const played = await promptPlayer(model, { ...request, seed: this.#seed, redact, emit: this.#emit });
      signal.throwIfAborted();
      world.state = played.state;
      world.calls.push({ tool, input, answer: played.answer });
      const simulation = { model: model.name, promptVersion, state: played.state };
      this.#emit({ ...action, what: part.describe(played.answer), simulation });
      return played.answer;
    } catch (thrown) {
      return fail(thrown);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #find(name: string): Promise<Model> {
    const { models } = this.#context;
    if (!models) throw new AssayError('MODEL_NOT_NAMED', `${name} cannot play a tool here: there are no models.`);
    return (await models()).find(name);
  }
}

interface Playing<Answer> {
  readonly world: World;
  readonly mocks: readonly PlayedMock[];
  readonly part: Part<Answer>;
  readonly signal: AbortSignal;
}

/** A tool is played by what its callers know of it, and never by its name alone. */
function definitionOf({ definition, tool, place }: SimulatedCall, { help }: PlayedMock['simulate']): unknown {
  const found = definition ?? help;
  if (found !== undefined) return found;
  throw new AssayError('MOCK_UNUSABLE', `Nothing describes "${tool}", which is simulated at ${place}.`, {
    hint: 'Give a program its `help`; the tools of a server are known once its client has listed them.',
  });
}

/** A model that still plays when its caller gives up is late itself. */
function cannotPlay({ tool }: SimulatedCall, thrown: unknown, signal: AbortSignal): AssayError {
  const error = signal.aborted
    ? new AssayError('MODEL_TIMEOUT', 'The model had not answered when the call was given up.', { cause: thrown })
    : asAssayError(thrown);
  const { code, hint } = error;
  return new AssayError(code, `"${tool}" could not be simulated: ${error.message}`, { hint, cause: error });
}
