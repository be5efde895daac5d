import pg from 'pg';

/** Asks a database something, on a connection of its own. */
export async function ask(url, text, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
