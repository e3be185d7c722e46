// What a careful person tests in a day: a script to score with petstore-mutants.
//   PETSTORE_API_KEY=secret node examples/tester.mjs http://127.0.0.1:8080
import assert from 'node:assert/strict';

const pets = `${process.argv[2]}/v1/pets`;
const key = `Bearer ${process.env.PETSTORE_API_KEY}`;

async function call(path, { authorization = key, ...init } = {}) {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization && { Authorization: authorization }),
  };
  const response = await fetch(`${pets}${path}`, { ...init, headers });
  return { status: response.status, body: await response.json() };
}

const create = (pet) => call('', { method: 'POST', body: JSON.stringify(pet) });

async function expectError(response, status) {
  const { status: seen, body } = await response;
  assert.equal(seen, status);
  assert.equal(body.status, status);
  assert.equal(typeof body.code, 'string');
  assert.equal(typeof body.message, 'string');
}

// A pet is stored and found again.
const sent = { name: 'Rex', categoryId: 7, status: 'sold' };
const created = await create(sent);
assert.equal(created.status, 201);
assert.deepEqual(created.body, { id: created.body.id, ...sent });
assert.deepEqual(await call(`/${created.body.id}`), { status: 200, body: created.body });
const bare = await create({ name: 'Mia', categoryId: 1 });
assert.deepEqual(Object.keys(bare.body).toSorted(), ['categoryId', 'id', 'name']);

// Lists have as many pets as they should.
for (let count = 0; count < 25; count++)
  await create({ name: `Luna ${count}`, categoryId: 1, status: 'pending' });
assert.equal((await call('')).body.length, 20);
assert.equal((await call('?limit=3')).body.length, 3);
assert.ok((await call('?limit=100')).body.length > 25);

// The filter filters.
for (const status of ['available', 'pending', 'sold']) {
  const { body } = await call(`?status=${status}&limit=100`);
  assert.ok(body.every((pet) => pet.status === status));
}

// What is wrong is refused.
for (const pet of [
  {},
  { name: 'Rex' },
  { categoryId: 1 },
  { name: 'Rex', categoryId: '1' },
  { ...sent, status: 'lost' },
])
  await expectError(create(pet), 400);
await expectError(call('?status=lost'), 400);
await expectError(call('/999999999'), 404);
for (const path of ['', '/1']) {
  await expectError(call(path, { authorization: '' }), 401);
  await expectError(call(path, { authorization: 'Bearer mistyped' }), 401);
}
