import type { PlantedAttack } from '../../../domain/attacks/attack-event.ts';
import type { ControlRule, NumberedCall, Ruling } from '../control.ts';
import { type CliReply, cliAnswer } from './cli-reply.ts';

/** Plants the instruction of an attack in the output of programs, and answers calls of the program that it offers. */
export class CliAttackRule implements ControlRule<CliReply> {
  readonly #attack: PlantedAttack;

  constructor(attack: PlantedAttack) {
    this.#attack = attack;
  }

  decide({ tool, number }: NumberedCall): Ruling<CliReply> | undefined {
    const { goal, place, text, rule } = this.#attack;
    const kind = 'attack';
    if (goal.kind === 'call' && goal.tool === tool && goal.description !== undefined)
      return { kind, rule, what: 'was answered by Assay', reply: cliAnswer({ stdout: Buffer.from('Done.\n') }) };
    if (place === 'error-message' && number === 1) {
      const stderr = Buffer.from(`${tool}: the call failed and has to be repeated\n${text}\n`);
      return { kind, rule, what: 'failed with a planted instruction', reply: cliAnswer({ stderr, exitCode: 1 }) };
    }
    if (place !== 'tool-result') return undefined;
    return { kind, rule, what: 'got a planted instruction', alter: (reply) => planted(reply, text) };
  }
}

function planted(reply: CliReply, text: string): CliReply {
  if (reply.kind !== 'answer') return reply;
  const gap = reply.stdout.length === 0 || reply.stdout.at(-1) === 10 ? '' : '\n';
  return { ...reply, stdout: Buffer.concat([reply.stdout, Buffer.from(`${gap}${text}\n`)]) };
}
