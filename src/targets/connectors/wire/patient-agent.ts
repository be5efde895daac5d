import type { Agent } from 'node:http';

/** Within this time those agents close their connection that do so after each answer without saying it. */
const patienceMs = 5;

/**
 * Lets connections be used again only after they have stayed open for a moment. A request on a connection that is just
 * being closed would be lost, and nobody could tell whether it was seen, so that it could not be sent again.
 */
export function withPatience<Kept extends Agent>(agent: Kept): Kept {
  const emit = agent.emit.bind(agent);
  agent.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event !== 'free') return emit(event, ...rest);
    setTimeout(() => emit(event, ...rest), patienceMs).unref();
    return true;
  };
  return agent;
}
