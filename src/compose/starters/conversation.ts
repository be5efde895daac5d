import type { Starter } from './starter.ts';

const agent = `/** The agent under test: replace it with yours, or name its endpoint in the scenario. */
const free = { monday: ['14:00', '15:30'], tuesday: [] };

export default function answer({ messages }) {
  const text = messages.at(-1).content.toLowerCase();
  const day = Object.keys(free).find((name) => text.includes(name));
  const time = /\\b\\d{2}:\\d{2}\\b/.exec(text)?.[0];
  if (time) return \`Booked for \${time}. Your booking number is BK-10042.\`;
  if (!day) return 'On which day would you like to come?';
  return free[day].length > 0 ? \`On \${day} I have \${free[day].join(' and ')}.\` : \`On \${day} everything is taken.\`;
}
`;

const scenario = `# One conversation: who is talked to, what the user says, and what must be true of the answers.
# Another agent: connector: { type: http, baseUrl: "http://127.0.0.1:8081", config: { path: /chat } }
# (also openai-chat, openai-responses, anthropic, langgraph). Check the file with: assay validate
name: Book an appointment
description: The agent offers a time and books it
tags: [smoke]
connector: { type: module, config: { module: ../agent.mjs } }
userMessages:
  - I need an appointment on Monday.
  - 15:30 is fine.
evaluators:
  # Assertions can fail the trial.
  - { type: regex, config: { pattern: 'BK-\\d{5}' } }
  - { type: not-contains, config: { text: sorry } }
  - { type: latency-budget, config: { maxMs: 3000 } }
  # Metrics are only tracked.
  - { type: response-length, config: { unit: words } }
# A model can play the user, and a model can judge (assay models lists the available ones):
# persona: { name: Ann, description: in a hurry, goal: an appointment on Monday }
# successCriteria: The appointment is booked
`;

const config = `# Defaults for this project. Every key: assay schema config
scenarios: [scenarios]
`;

/** A conversational agent. */
export const conversationStarter: Starter = {
  kind: 'conversation',
  summary: 'a conversational agent, over several turns',
  files: [
    { path: 'assay.config.yaml', purpose: 'defaults of the project', text: config },
    { path: 'scenarios/booking.yaml', purpose: 'a conversation, assertions and metrics', text: scenario },
    { path: 'agent.mjs', purpose: 'the agent under test', text: agent },
  ],
};
