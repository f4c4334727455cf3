#pragma once
#include "../tuple"
