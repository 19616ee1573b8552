"""What an expression of a type may look like.

In a template «type» is an expression of that type; a capital letter is any type, the same wherever it stands, of a class:
T, U any; K of a map's key; O ordered; N, M a number. `$a` is a new variable's name, and `@a:type ` begins where it is known.
A template with `!` in front is of the environments with cel.bind alone.
"""

ANY = """
«bool» ? «T» : «T»
«list(T)»[«index»]
«map(K,T)»[«K»]
«opt(T)».value()
«opt(T)».orValue(«T»)
!cel.bind($a, «U», @a:U «T»)
!cel.bind($a, «T», @a:T «T»)
(«T»)
"""

BOOL = """
«bool» && «bool»
«bool» || «bool»
«bool» && «bool» && «bool»
«bool» || «bool» || «bool»
!«bool»
!!«bool»
«T» == «T»
«T» != «T»
«dyn» == «T»
«T» == «dyn»
«dyn» != «dyn»
«N» == «M»
«O» < «O»
«O» <= «O»
«O» > «O»
«O» >= «O»
«N» < «M»
«N» <= «M»
«N» > «M»
«N» >= «M»
«dyn» < «N»
«dyn» > «dyn»
«T» in «list(T)»
«dyn» in «list(T)»
«K» in «map(K,T)»
«dyn» in «dyn»
«string».contains(«string»)
«string».startsWith(«string»)
«string».endsWith(«string»)
«string».matches(«regex»)
matches(«string», «regex»)
«string».matches([«regex»][0])
matches(«string», [«regex»][0])
«list(T)».all($a, @a:T «bool»)
«list(T)».exists($a, @a:T «bool»)
«list(T)».exists_one($a, @a:T «bool»)
«list(T)».existsOne($a, @a:T «bool»)
«list(T)».all($i, $a, @i:int @a:T «bool»)
«list(T)».exists($i, $a, @i:int @a:T «bool»)
«list(T)».existsOne($i, $a, @i:int @a:T «bool»)
«map1(K,T)».all($k, @k:K «bool»)
«map1(K,T)».exists($k, @k:K «bool»)
«map1(K,T)».exists_one($k, @k:K «bool»)
«map1(K,T)».all($k, $a, @k:K @a:T «bool»)
«map1(K,T)».exists($k, $a, @k:K @a:T «bool»)
«map1(K,T)».existsOne($k, $a, @k:K @a:T «bool»)
«dyn».all($a, @a:dyn «bool»)
«dyn».exists($a, @a:dyn «bool»)
has(«map(string,T)».«name»)
has(«dyn».«name»)
has(«map(string,map(string,T))».«name».«name»)
«opt(T)».hasValue()
«map(string,T)».?«name».hasValue()
«dyn».?«name».hasValue()
bool(«booltext»)
bool(«bool»)
bool(«string»)
«list(O)».isSorted()
«list(T)».includes(«T»)
«T».includes(«T»)
«dyn».includes(«dyn»)
sets.contains(«list(T)», «list(T)»)
sets.equivalent(«list(T)», «list(T)»)
sets.intersects(«list(T)», «list(T)»)
sets.contains(«list(N)», «list(N)»)
isURL(«urltext»)
isIP(«iptext»)
isCIDR(«cidrtext»)
isQuantity(«quantitytext»)
isSemver(«semvertext»)
isSemver(«semvertext», «bool»)
ip.isCanonical(«iptext»)
«ip».isUnspecified()
«ip».isLoopback()
«ip».isLinkLocalMulticast()
«ip».isLinkLocalUnicast()
«ip».isGlobalUnicast()
«cidr».containsIP(«ip»)
«cidr».containsIP(«iptext»)
«cidr».containsCIDR(«cidr»)
«cidr».containsCIDR(«cidrtext»)
«quantity».isGreaterThan(«quantity»)
«quantity».isLessThan(«quantity»)
«quantity».isInteger()
«semver».isGreaterThan(«semver»)
«semver».isLessThan(«semver»)
type(«T») == «type»
type(«T») == type(«U»)
«quantity» == «quantity»
«semver» == «semver»
«ip» == «ip»
«cidr» == «cidr»
«url» == «url»
«format».validate(«formatted»).hasValue()
!cel.bind($a, «quantity», @a:quantity «bool»)
"""

NUMBER = """
«X» + «X»
«X» - «X»
«X» * «X»
«X» / «X»
«list(X)».sum()
«list(X)».min()
«list(X)».max()
"""

INT = NUMBER + """
«int» % «int»
-«int»
-(«int»)
size(«string»)
size(«bytes»)
size(«list(T)»)
size(«map(K,T)»)
«string».size()
«bytes».size()
«list(T)».size()
«map(K,T)».size()
int(«uint»)
int(«double»)
int(«inttext»)
int(«int»)
int(«timestamp»)
int(«string»)
int(«dyn»)
«string».indexOf(«string»)
«string».indexOf(«string», «index»)
«string».lastIndexOf(«string»)
«string».lastIndexOf(«string», «index»)
«list(T)».indexOf(«T»)
«list(T)».lastIndexOf(«T»)
«timestamp».getFullYear()
«timestamp».getMonth()
«timestamp».getDayOfYear()
«timestamp».getDayOfMonth()
«timestamp».getDate()
«timestamp».getDayOfWeek()
«timestamp».getHours()
«timestamp».getMinutes()
«timestamp».getSeconds()
«timestamp».getMilliseconds()
«timestamp».getFullYear(«zone»)
«timestamp».getMonth(«zone»)
«timestamp».getDayOfYear(«zone»)
«timestamp».getDayOfMonth(«zone»)
«timestamp».getDate(«zone»)
«timestamp».getDayOfWeek(«zone»)
«timestamp».getHours(«zone»)
«timestamp».getMinutes(«zone»)
«timestamp».getSeconds(«zone»)
«timestamp».getMilliseconds(«zone»)
«duration».getHours()
«duration».getMinutes()
«duration».getSeconds()
«duration».getMilliseconds()
«quantity».sign()
sign(«quantity»)
«quantity».asInteger()
«quantity».compareTo(«quantity»)
«semver».major()
«semver».minor()
«semver».patch()
«semver».compareTo(«semver»)
«ip».family()
«cidr».prefixLength()
"""

UINT = NUMBER + """
«uint» % «uint»
uint(«int»)
uint(«double»)
uint(«uinttext»)
uint(«uint»)
uint(«dyn»)
"""

DOUBLE = NUMBER + """
-«double»
double(«int»)
double(«uint»)
double(«doubletext»)
double(«double»)
double(«dyn»)
«quantity».asApproximateFloat()
"""

STRING = """
«string» + «string»
«string» + «string» + «string»
string(«int»)
string(«uint»)
string(«double»)
string(«bool»)
string(«bytes»)
string(«string»)
string(«timestamp»)
string(«duration»)
string(«ip»)
string(«cidr»)
string(«dyn»)
«string».charAt(«index»)
«string».lowerAscii()
«string».upperAscii()
«string».trim()
«string».replace(«string», «string»)
«string».replace(«string», «string», «index»)
«string».substring(«index»)
«string».substring(«index», «index»)
«list(string)».join()
«list(string)».join(«string»)
«clauses».format([«dyn»])
«clauses».format([«dyn», «T»])
«clauses».format(«list(dyn)»)
«clause».format([«T»])
«clause».format([«N»])
strings.quote(«string»)
«string».find(«regex»)
«string».find([«regex»][0])
«url».getScheme()
«url».getHost()
«url».getHostname()
«url».getPort()
«url».getEscapedPath()
«list(string)».min()
«list(string)».max()
«map(K,string)»[«K»]
"""

BYTES = """
bytes(«string»)
bytes(«bytes»)
«bytes» + «bytes»
«list(bytes)».min()
"""

TIMESTAMP = """
timestamp(«timestamptext»)
timestamp(«int»)
timestamp(«timestamp»)
timestamp(«string»)
«timestamp» + «duration»
«duration» + «timestamp»
«timestamp» - «duration»
«list(timestamp)».max()
«list(timestamp)».min()
"""

DURATION = """
duration(«durationtext»)
duration(«duration»)
duration(«string»)
duration(«int»)
«timestamp» - «timestamp»
«duration» + «duration»
«duration» - «duration»
-«duration»
«list(duration)».sum()
«list(duration)».min()
"""

LIST = """
[]
[«T»]
[«T», «T»]
[«T», «T», «T»]
[«T», «T», «T», «T», ]
[?«opt(T)»]
[«T», ?«opt(T)»]
«list(T)» + «list(T)»
«list(T)».filter($a, @a:T «bool»)
«list(U)».map($a, @a:U «T»)
«list(U)».map($a, @a:U «bool», «T»)
«list(U)».transformList($i, $a, @i:int @a:U «T»)
«list(U)».transformList($i, $a, @i:int @a:U «bool», «T»)
«map1(K,U)».transformList($k, $a, @k:K @a:U «T»)
«map1(K,U)».map($k, @k:K «T»)
«map1(T,U)».filter($k, @k:T «bool»)
«list(T)».slice(«index», «index»)
«list(list(T))».flatten()
«list(list(T))».flatten(1)
«list(T)».reverse()
«list(T)».distinct()
«list(T)».sortBy($a, @a:T «O»)
optional.unwrap(«list(opt(T))»)
«list(opt(T))».unwrapOpt()
"""

LIST_OF = {
    "string": "«string».split(«string»)\n«string».split(«string», «index»)\n«string».findAll(«regex»)\n«string».findAll(«regex», «index»)\n«list(string)».sort()\n"
              "«format».validate(«formatted»).orValue([])\nformat.named(«formatname»).value().validate(«formatted»).orValue([])\n«url».getQuery()['q']",
    "int": "lists.range(«index»)\n«list(int)».sort()\n[1, 2, 3]",
    "dyn": "[«T», «U»]\n[«dyn», «T»]\n«list(dyn)».flatten()\n«list(list(dyn))».flatten(«index»)\n«dyn».map($a, @a:dyn «T»)\n[dyn(«T»), dyn(«U»), dyn(«T»)]",
    "bool": "«list(bool)».sort()", "uint": "«list(uint)».sort()", "double": "«list(double)».sort()", "bytes": "«list(bytes)».sort()",
    "timestamp": "«list(timestamp)».sort()", "duration": "«list(duration)».sort()",
}

MAP = """
{}
{«K»: «V»}
{«K»: «V», «K»: «V»}
{«K»: «V», «K»: «V», «K»: «V»,}
{?«K»: «opt(V)»}
{«K»: «V», ?«K»: «opt(V)»}
«map1(K,U)».transformMap($k, $a, @k:K @a:U «V»)
«map1(K,U)».transformMap($k, $a, @k:K @a:U «bool», «V»)
«list(U)».transformMapEntry($i, $a, @i:int @a:U {«K»: «V»})
«list(U)».transformMapEntry($i, $a, @i:int @a:U «bool», {«K»: «V»})
"""

MAP_INT = """
«list(U)».transformMap($i, $a, @i:int @a:U «V»)
«list(U)».transformMap($i, $a, @i:int @a:U «bool», «V»)
"""

OPT = """
optional.of(«T»)
optional.of(«T»)
optional.none()
optional.ofNonZeroValue(«T»)
«map(K,T)»[?«K»]
«list(T)»[?«index»]
«map(string,T)».?«name»
«opt(map(K,T))»[?«K»]
«opt(map(string,T))».?«name»
«opt(map(string,T))».«name»
«opt(map(K,T))»[«K»]
«opt(list(T))»[?«index»]
«opt(U)».optMap($a, @a:U «T»)
«opt(U)».optFlatMap($a, @a:U «opt(T)»)
«opt(T)».or(«opt(T)»)
«list(T)».first()
«list(T)».last()
"""

DYN = """
dyn(«T»)
dyn(«T»)
«dyn».«name»
«dyn»[«index»]
«dyn»[«string»]
«dyn»[«dyn»]
«dyn» + «dyn»
«dyn» + «T»
«dyn» - «dyn»
«dyn» * «dyn»
«dyn» / «N»
«dyn» % «int»
-«dyn»
«bool» ? «T» : «U»
«list(dyn)»[«index»]
«map(string,dyn)».«name»
«map(string,dyn)»[«string»]
null
«list(dyn)».first().orValue(«T»)
size(«dyn»)
«dyn».filter($a, @a:dyn «bool»)
«dyn».map($a, @a:dyn «T»)
type(«dyn»)
"""

QUANTITY = """
quantity(«quantitytext»)
quantity(«quantitytext»)
quantity(«quantitytext»)
«quantity».add(«quantity»)
«quantity».add(«int»)
«quantity».sub(«quantity»)
«quantity».sub(«int»)
"""
SEMVER = """
semver(«semvertext»)
semver(«semvertext»)
semver(«semvertext», «bool»)
"""
IP = """
ip(«iptext»)
ip(«iptext»)
«cidr».ip()
"""
CIDR = """
cidr(«cidrtext»)
cidr(«cidrtext»)
«cidr».masked()
"""
TYPE = """
type(«T»)
int
uint
double
bool
string
bytes
list
map
null_type
type
google.protobuf.Timestamp
google.protobuf.Duration
optional_type
net.IP
net.CIDR
type(type(«T»))
"""
