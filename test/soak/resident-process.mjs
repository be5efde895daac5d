import { Program } from './program.mjs';

// Runs the commands that it is sent, one after the other, until it is killed.
const program = new Program(JSON.parse(process.argv[2]), process.argv[3]);
process.on('message', async ({ id, args }) => process.send({ id, ...(await program.command(...args)) }));
process.on('disconnect', () => process.exit());
