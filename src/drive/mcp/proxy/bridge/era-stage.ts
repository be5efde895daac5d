import { isModernRequest } from '../../protocol-versions.ts';
import type { Era } from '../../session.ts';
import type { Message, Stage, StageEnds } from '../stage.ts';
import { LegacyAgentBridge } from './legacy-agent-bridge.ts';
import { ModernAgentBridge } from './modern-agent-bridge.ts';

/** Translates between an agent and a server that is spoken to in one era, where the agent speaks the other one. */
export class EraStage implements Stage {
  readonly #serverEra: Era;
  readonly #ends: StageEnds;
  #isDecided = false;
  #bridge: Stage | undefined;

  constructor(serverEra: Era, ends: StageEnds) {
    this.#serverEra = serverEra;
    this.#ends = ends;
  }

  fromAgent(message: Message): void {
    const era = this.#isDecided ? undefined : eraOfAgent(message);
    if (era !== undefined) {
      this.#isDecided = true;
      if (era !== this.#serverEra)
        this.#bridge = era === 'legacy' ? new LegacyAgentBridge(this.#ends) : new ModernAgentBridge(this.#ends);
    }
    if (this.#bridge) this.#bridge.fromAgent(message);
    else this.#ends.toServer(message);
  }

  fromServer(message: Message): void {
    if (this.#bridge) this.#bridge.fromServer(message);
    else this.#ends.toAgent(message);
  }
}

/** The era of the agent that sends this first request; undefined for a message that does not say. */
function eraOfAgent({ method, params }: Message): Era | undefined {
  if (method === 'initialize') return 'legacy';
  if (method === 'server/discover') return 'modern';
  return isModernRequest(params) ? 'modern' : undefined;
}
