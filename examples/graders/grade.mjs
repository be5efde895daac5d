import { text } from 'node:stream/consumers';

/** Grades a booking: the reference in the answer must be one that the tool gave. */
const { answer, toolCalls } = JSON.parse(await text(process.stdin));
const given = toolCalls.flatMap(({ tool, result }) => (tool === 'book_table' ? [JSON.parse(result).ref] : []));
const named = answer.match(/BK-\d+/g) ?? [];
const invented = named.filter((ref) => !given.includes(ref));
console.log(
  JSON.stringify({
    passed: named.length > 0 && invented.length === 0,
    metrics: { references: named.length, invented: invented.length },
    message: invented.length > 0 ? `Invented: ${invented.join(', ')}` : `Given by the tool: ${named.join(', ')}`,
  }),
);
