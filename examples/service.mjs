// The API's three stable operations in a hundred lines of plain Node, with pets in memory: something small to check with
// petstore-conform. With MISTAKES=1, it makes three mistakes.
//   API_KEY=secret node examples/service.mjs
import { createServer } from 'node:http';

const { API_KEY = 'secret', PORT = '0', MISTAKES } = process.env;
const statuses = ['available', 'pending', 'sold'];
/** Pets as JSON text, because JavaScript numbers would round their categories. */
const pets = [];

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

const server = createServer(async (request, response) => {
  let status = 200;
  let body;
  try {
    ({ status = 200, body } = await respond(request));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    status = error.status;
    body = JSON.stringify({ code: error.code, message: error.message, status });
  }
  const headers = { 'Content-Type': 'application/json' };
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
  response.writeHead(status, headers).end(body);
});

async function respond(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const [, key] = /^bearer +(.*)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (key !== API_KEY) throw new Refusal(401, 'unauthorized', 'Send the API key as a bearer token.');
  const [, petId] = /^\/v1\/pets\/([^/]+)$/.exec(pathname) ?? [];
  if (petId !== undefined && request.method === 'GET') return getPet(petId);
  if (pathname === '/v1/pets' && request.method === 'GET') return listPets(searchParams);
  if (pathname === '/v1/pets' && request.method === 'POST') return createPet(await readText(request));
  throw new Refusal(404, 'not_found', 'There is nothing at this address.');
}

function listPets(parameters) {
  const limit = parameters.get('limit') ?? (MISTAKES ? '10' : '20');
  const status = parameters.get('status');
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw new Refusal(400, 'invalid_parameter', 'limit must be from 1 to 100.');
  if (status !== null && !statuses.includes(status))
    throw new Refusal(400, 'invalid_parameter', `status must be one of ${statuses.join(', ')}.`);
  const chosen = pets.filter((pet) => status === null || pet.status === status);
  const page = chosen.slice(0, Number(limit)).map(({ json }) => json);
  return { body: `[${page.join()}]` };
}

function getPet(petId) {
  const pet = pets.find(({ id }) => id === petId);
  if (pet) return { body: pet.json };
  // The second mistake: an error without its status.
  if (MISTAKES) return { status: 404, body: '{"code":"not_found","message":"No pet has this id."}' };
  throw new Refusal(404, 'not_found', 'No pet has this id.');
}

function createPet(text) {
  const { name, categoryId, status } = parsePet(text);
  if (typeof name !== 'string') throw invalid('name must be a string.');
  if (!isInt64(categoryId?.digits)) throw invalid('categoryId must be an integer of 64 bits.');
  if (status !== undefined && !statuses.includes(status))
    throw invalid(`status must be one of ${statuses.join(', ')}.`);
  const id = String(pets.length + 1);
  const stored = MISTAKES ? Number(categoryId.digits) : BigInt(categoryId.digits);
  const end = status === undefined ? '' : `,"status":"${status}"`;
  const json = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${stored}${end}}`;
  pets.push({ id, status, json });
  return { status: 201, body: json };
}

/** The fields of a pet; numbers become objects with their digits. */
function parsePet(text) {
  try {
    JSON.parse(text);
  } catch {
    throw invalid('The body must be JSON.');
  }
  const exact = text.replace(
    /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g,
    (digits, string) => string ?? `{"digits":"${digits}"}`,
  );
  const pet = JSON.parse(exact);
  if (typeof pet === 'object' && pet !== null && !Array.isArray(pet)) return pet;
  throw invalid('The body must be a JSON object.');
}

function isInt64(digits = '') {
  return /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function invalid(message) {
  return new Refusal(400, 'invalid_pet', message);
}

async function readText(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
