-- Sends the requests of the file that BENCH_REQUESTS names, in order and again from the first: one line
-- each, "METHOD<tab>path<tab>body". A single request is left to wrk itself, which then runs no Lua per request.
local lines = {}
for line in io.lines(os.getenv("BENCH_REQUESTS")) do
  lines[#lines + 1] = line
end

local function parse(line)
  local method, path, body = line:match("^(%u+)\t([^\t]*)\t(.*)$")
  if body == "" then body = nil end
  return method, path, body
end

if #lines == 1 then
  wrk.method, wrk.path, wrk.body = parse(lines[1])
else
  local requests, position = {}, 0
  function init()
    for index, line in ipairs(lines) do
      local method, path, body = parse(line)
      requests[index] = wrk.format(method, path, nil, body)
    end
  end
  function request()
    position = position % #requests + 1
    return requests[position]
  end
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"micros":%d,"errors":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
